/** Tests `formctl apply`: its effects, confirmations, refusals, and its JSON document. */

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import { describe, expect, it } from "vitest";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { insertProxy } from "../proxy/proxy.ts";
import type { Cli } from "./cli.ts";
import { behindNorthwind, layoutText, type ManifestsScene, openManifestsScene, PLACES } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

type Outcome = Awaited<ReturnType<ManifestsScene["cli"]["run"]>>;

/** Returns the document of a run with a result. The document and the process have the same exit code. */
function documentOf({ code, stdout }: Outcome): Applied {
  const applied = JSON.parse(stdout) as Applied;
  expect(applied.exitCode).toBe(code);
  return applied;
}

/** Returns the error document of a run that was refused before its first write. */
function refusalOf({ code, stdout, stderr }: Outcome) {
  expect(stdout).toBe("");
  const { error } = JSON.parse(stderr) as {
    error: { code: string; exitCode: number; message: string; hint?: string; location?: unknown };
  };
  expect(error.exitCode).toBe(code);
  return error;
}

const formNames = ({ cli }: ManifestsScene) =>
  behindNorthwind(cli, async (service) => (await service.listForms(CANDIDATE)).data.map(({ name }) => name).sort());

describe.each(PLACES)("apply on %s", (place) => {
  it("applies the manifests, and does nothing the second time", async () => {
    const scene = await openManifestsScene(place);
    const { cli, writes } = scene;
    const applied = documentOf(await cli.run("apply", "manifests", "--yes", "-o", "json"));
    expect(applied).toMatchObject({
      exitCode: 0,
      outcome: "applied",
      summary: { resources: { created: 4, unfinished: 0 }, steps: { done: 16, failed: 0 } },
    });
    expect(applied.resources[0]).toMatchObject({
      address: "staffing/candidate/Profile",
      action: "create",
      file: "manifests/candidate.yaml",
      line: 1,
      steps: [
        {
          operation: "createForm",
          status: "done",
          ids: { formId: expect.any(String) as string },
        },
        { operation: "saveDraft" },
        { operation: "publishLayout" },
        { operation: "replaceFormAccess" },
        { operation: "updateFormDefaults" },
      ],
    });
    const before = await writes();
    expect(documentOf(await cli.run("apply", "manifests", "--yes", "-o", "json")).outcome).toBe("unchanged");
    expect(await writes()).toBe(before);
  });

  it("requires --yes without a terminal, unless there is nothing to do", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = await writes();
    expect(refusalOf(await cli.run("apply", "manifests", "-o", "json"))).toMatchObject({
      code: "CONSENT_MISSING",
      exitCode: 8,
      hint: "To confirm, add --yes.",
    });
    expect(await writes()).toBe(before);
    await cli.run("apply", "manifests", "--yes");
    expect(documentOf(await cli.run("apply", "manifests", "-o", "json")).exitCode).toBe(0);
  });

  it("shows the plan and asks for confirmation", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = await writes();
    const no = await cli.answering([false], "apply", "manifests");
    expect(no).toMatchObject({ code: 8, stdout: "" });
    expect(no.stderr).toContain("staffing/candidate/Profile");
    expect(await writes()).toBe(before);
    const yes = await cli.answering([true], "apply", "manifests");
    expect(yes.asked).toHaveLength(1);
    expect(yes.stdout).toMatch(/^Applied to .*: 4 created\.\n$/);
    expect(yes.code).toBe(0);
  });

  it("shows the plan before the question, also with -o json", async () => {
    const { cli } = await openManifestsScene(place);
    const no = await cli.answering([false], "apply", "manifests", "-o", "json");
    expect(no).toMatchObject({ code: 8, stdout: "" });
    expect(no.stderr).toContain("create form staffing/candidate/Profile");
  });

  it("changes nothing in a dry run, and reports what it would do", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = await writes();
    const { stdout: help } = await cli.run("apply", "--help");
    expect(help).toMatch(/--dry-run +Print the changes without making them/);
    const applied = documentOf(await cli.run("apply", "manifests", "--dry-run", "-o", "json"));
    expect(applied).toMatchObject({ exitCode: 0, outcome: "planned", summary: { steps: { planned: 16, done: 0 } } });
    expect(await writes()).toBe(before);
    expect(existsSync(join(cli.cwd, ".formctl"))).toBe(false);
  });

  it("logs each step, and nothing with --quiet", async () => {
    const { cli } = await openManifestsScene(place);
    const { stderr } = await cli.run("apply", "manifests", "--yes", "--target", "staffing/candidate/Intake");
    const lines = stderr.split("\n").filter((line) => /^\d+\/\d+ /.test(line));
    expect(lines).toEqual([
      "1/4 done createForm staffing/candidate/Intake",
      "2/4 done saveDraft staffing/candidate/Intake",
      "3/4 done publishLayout staffing/candidate/Intake",
      "4/4 done updateFormDefaults staffing/candidate/Intake",
    ]);
    expect((await cli.run("apply", "manifests", "--yes", "--quiet")).stderr).toBe("");
  });

  it("refuses to move the organization's default from a layout that keeps it, before the first write", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const layoutId = await makeRival(cli);
    const before = await writes();
    for (const words of [["plan"], ["apply", "--yes"]]) {
      const { code, stdout, stderr } = await cli.run(...words, "manifests");
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toContain("manifests/card.yaml:6:24  error  ASSIGNMENT_DEFAULT_TAKEN");
      expect(stderr).toContain(`the layout "Rival" (${layoutId}) is the organization's default`);
    }
    expect(await writes()).toBe(before);
    // A plan that does not change the default is not refused, and `status` is not refused either.
    expect((await cli.run("plan", "manifests", "--target", "staffing/candidate/Intake")).code).toBe(0);
    expect((await cli.run("status", "manifests")).code).toBe(0);
    await cli.run("layouts", "assignments", "set", layoutId, "--no-default");
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
  });

  it("reports a write only if the server refused not all of them", async () => {
    const { cli, roleId } = await openManifestsScene(place);
    const card = readFileSync(join(cli.cwd, "manifests/card.yaml"), "utf8");
    cli.file("manifests/card.yaml", card.replace(roleId, "rol_that_there_is_not"));
    // A local store knows all roles, so the plan fails before the first write.
    const isKnown = place === "a local store";
    const partly = await cli.run("apply", "manifests", "--yes");
    expect({ code: partly.code, hasWritten: partly.stderr.includes("Written to ") }).toEqual(
      isKnown ? { code: 3, hasWritten: false } : { code: 9, hasWritten: true },
    );
    const refused = await cli.run("apply", "manifests", "--yes");
    expect(refused.code).toBe(3);
    expect(refused.stderr.includes("0/1 failed replaceAssignments")).toBe(!isKnown);
    expect(refused.stderr).not.toContain("Written to");
  });

  it("saves drafts with --no-publish, and publishes them without it", async () => {
    const { cli } = await openManifestsScene(place);
    const drafts = documentOf(await cli.run("apply", "manifests", "--yes", "--no-publish", "-o", "json"));
    expect(drafts.resources.flatMap(({ steps }) => steps.map(({ operation }) => operation))).not.toContain(
      "publishLayout",
    );
    const applied = documentOf(await cli.run("apply", "manifests", "--yes", "-o", "json"));
    expect(new Set(applied.resources.flatMap(({ steps }) => steps.map(({ operation }) => operation)))).toEqual(
      new Set(["publishLayout"]),
    );
  });

  describe("--yes alone", () => {
    it("deletes nothing: --prune requires --allow-delete, and the error lists what would be lost", async () => {
      const scene = await openManifestsScene(place);
      const { cli, writes } = scene;
      await cli.run("apply", "manifests", "--yes");
      await behindNorthwind(cli, (service) =>
        service.createForm({ ...CANDIDATE, body: { name: "By hand", types: ["VIEW"] } }),
      );
      const before = await writes();
      const refused = refusalOf(await cli.run("apply", "manifests", "--yes", "--prune", "-o", "json"));
      expect(refused).toMatchObject({ code: "CONSENT_MISSING", exitCode: 8 });
      expect(refused.message).toContain("By hand");
      expect(refused.hint).toContain("--allow-delete");
      expect(await writes()).toBe(before);
      const pruned = documentOf(
        await cli.run("apply", "manifests", "--yes", "--prune", "--allow-delete", "-o", "json"),
      );
      expect(pruned.summary.resources.deleted).toBe(1);
      expect(await formNames(scene)).toEqual(["Intake", "Profile"]);
    });

    it("asks for each deletion at a terminal", async () => {
      const scene = await openManifestsScene(place);
      const { cli } = scene;
      await cli.run("apply", "manifests", "--yes");
      await behindNorthwind(cli, (service) =>
        service.createForm({ ...CANDIDATE, body: { name: "By hand", types: ["VIEW"] } }),
      );
      const no = await cli.answering([true, false], "apply", "manifests", "--prune");
      expect({ code: no.code, asked: no.asked.length }).toEqual({ code: 8, asked: 2 });
      expect(await formNames(scene)).toContain("By hand");
      const yes = await cli.answering([true], "apply", "manifests", "--prune", "--yes");
      expect({ code: yes.code, asked: yes.asked.length }).toEqual({ code: 0, asked: 1 });
      expect(await formNames(scene)).not.toContain("By hand");
    });

    it("overwrites no draft of another user: that requires --allow-replace", async () => {
      const { cli, writes } = await openManifestsScene(place);
      await cli.run("apply", "manifests", "--yes");
      const theirs = await behindNorthwind(cli, async (service) => {
        const { data } = await service.listForms(CANDIDATE);
        const { viewLayoutId: layoutId } = data.find(({ name }) => name === "Profile")!;
        const [{ regions, blocks }] = (await service.listVersions({ layoutId })) as [LayoutVersion];
        const body = { clientMutationId: "theirs", schemaVersion: 1 as const, regions, blocks: blocks.slice(0, 2) };
        return { layoutId, ...(await service.saveDraft({ layoutId, body })) };
      });
      cli.file("manifests/profile.layout.yaml", layoutText("full_name", "email", "notes"));
      const before = await writes();
      const refused = refusalOf(await cli.run("apply", "manifests", "--yes", "-o", "json"));
      expect(refused).toMatchObject({ exitCode: 8, message: expect.stringContaining(theirs.draftVersionId) as string });
      expect(refused.hint).toContain("--allow-replace");
      expect(await writes()).toBe(before);
      expect((await cli.run("apply", "manifests", "--yes", "--allow-replace")).code).toBe(0);
    });

    it("clears no values: a field change requires confirmFieldChanges, and the error lists what would be lost", async () => {
      const { cli } = await openManifestsScene(place);
      await cli.run("apply", "manifests", "--yes");
      const manifest = (confirm: string) =>
        cli.file(
          "manifests/placement.yaml",
          `kind: Form
object: staffing/placement
name: Desk
types: [VIEW]
${confirm}
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_title, type: field, source: dynamic_field, ref: {fieldKey: title}, regionKey: main, config: {label: Title}}
  stagedFieldDefinitions:
    - {draftId: d_pay, action: delete, key: pay_rate}
`,
        );
      manifest("confirmFieldChanges: []");
      const refused = await cli.run("apply", "manifests", "--yes", "--allow-replace", "--allow-delete", "-o", "json");
      const [step] = documentOf(refused)
        .resources.flatMap(({ steps }) => steps)
        .filter(({ error }) => error);
      expect(step).toMatchObject({ operation: "publishLayout", status: "failed" });
      expect(step?.error).toMatchObject({ exitCode: 8, api: { impacts: [{ draftId: "d_pay", valueCount: 57 }] } });
      // The draft is saved, but the publication waits for a confirmation. So no published layout has changed.
      expect(refused.code).toBe(8);
      expect(documentOf(refused)).toMatchObject({ exitCode: 8, outcome: "partial" });
      const again = await cli.run("apply", "manifests", "--yes", "-o", "json");
      expect(documentOf(again)).toMatchObject({ exitCode: 8, outcome: "failed" });
      const told = await cli.run("apply", "manifests", "--yes");
      expect(told.stderr).toContain("confirmFieldChanges: [d_pay]");
      manifest("confirmFieldChanges: [d_pay]");
      expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
      expect(documentOf(await cli.run("apply", "manifests", "-o", "json")).outcome).toBe("unchanged");
    });
  });

  it("refuses invalid manifests before anything is done: 3", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = await writes();
    cli.file("manifests/profile.layout.yaml", layoutText("full_name").replace("regionKey: main", "regionKey: mian"));
    const refused = refusalOf(await cli.run("apply", "manifests", "--yes", "-o", "json"));
    expect(refused).toMatchObject({ exitCode: 3, location: { file: "manifests/profile.layout.yaml" } });
    expect(await writes()).toBe(before);
  });

  it("allows one run at a time in a folder: the other is refused with 6 and the process that holds it", async () => {
    const { cli } = await openManifestsScene(place);
    const both = await Promise.all([1, 2].map(() => cli.run("apply", "manifests", "--yes", "-o", "json")));
    const codes = both.map(({ code }) => code).sort((a, b) => a - b);
    expect(codes).toEqual([0, 6]);
    const refused = refusalOf(both.find(({ code }) => code === 6)!);
    expect(refused).toMatchObject({
      code: "RUN_IN_PROGRESS",
      message: expect.stringContaining(String(process.pid)) as string,
    });
    expect(documentOf(await cli.run("apply", "manifests", "-o", "json")).outcome).toBe("unchanged");
  });

  it("begins no step after a signal, and continues the next time", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = await writes();
    const ending = cli.ending;
    ending.abort(new Interrupted("SIGTERM"));
    // On a server, the apply stops before it reads the current state. Then the failure is the only document.
    const { code, stdout, stderr } = await cli.run("apply", "manifests", "--yes", "-o", "json");
    expect(code).toBe(143);
    expect(JSON.parse(stdout || stderr)).toMatchObject(
      stdout ? { exitCode: 143, outcome: "interrupted" } : { error: { exitCode: 143, code: "INTERRUPTED" } },
    );
    expect(await writes()).toBe(before);
    cli.ending = new AbortController();
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
  });

  it("writes a journal that only its owner can read, without values of the environment", async () => {
    const { cli } = await openManifestsScene(place);
    cli.env["TITLE"] = "a secret in a title";
    const text = readFileSync(join(cli.cwd, "manifests/candidate.yaml"), "utf8");
    cli.file("manifests/candidate.yaml", text.replace("title: Candidate", 'title: "${TITLE}"'));
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
    const runs = join(cli.cwd, ".formctl", "runs");
    const records = readdirSync(runs).map((name) => readFileSync(join(runs, name), "utf8"));
    expect(records.join("")).toContain('"event":"end"');
    const { FORMCTL_TOKEN: token = "no token" } = cli.env;
    for (const secret of ["a secret in a title", token]) expect(records.join("")).not.toContain(secret);
  });
});

describe("apply with a token that lacks a permission", () => {
  it("is partly done: 9, with the reason of each remaining step, which another token completes", async () => {
    const scene = await openManifestsScene("a server");
    const { cli } = scene;
    const whole = cli.env["FORMCTL_TOKEN"]!;
    const { token } = await behindNorthwind(cli, (_service, local) =>
      local.createToken({
        organization: "northwind",
        name: "drafts only",
        permissions: [
          "api.custom_forms.read",
          "api.custom_forms.manage",
          "api.view_layouts.read",
          "api.view_layouts.manage",
        ],
        expiresAt: null,
      }),
    );
    cli.env["FORMCTL_TOKEN"] = token;
    const outcome = await cli.run("apply", "manifests", "--yes", "-o", "json");
    const applied = documentOf(outcome);
    expect(applied).toMatchObject({ exitCode: 9, outcome: "partial", summary: { resources: { unfinished: 4 } } });
    const desk = applied.resources.find(({ address }) => address.endsWith("/Desk"))!;
    expect(desk.steps).toMatchObject([
      { operation: "createForm", status: "done" },
      { operation: "saveDraft", status: "done" },
      { operation: "publishLayout", status: "failed", error: { exitCode: 4, api: { status: 403 } } },
    ]);
    cli.env["FORMCTL_TOKEN"] = whole;
    const rest = documentOf(await cli.run("apply", "manifests", "--yes", "-o", "json"));
    expect(rest.outcome).toBe("applied");
    expect(rest.resources.flatMap(({ steps }) => steps).some(({ operation }) => operation === "createForm")).toBe(
      false,
    );
  });

  it("is 4 with a token that can't read, and with one that can't write", async () => {
    const { cli, newToken } = await openRemoteScene();
    cli.file("one.yaml", "kind: Form\nobject: staffing/candidate\nname: One\ntypes: [VIEW]\n");
    cli.env["FORMCTL_TOKEN"] = await newToken(["api.view_layouts.read"]);
    expect(refusalOf(await cli.run("apply", "one.yaml", "--yes", "-o", "json"))).toMatchObject({ exitCode: 4 });
    cli.env["FORMCTL_TOKEN"] = await newToken(["api.custom_forms.read", "api.view_layouts.read"]);
    expect(documentOf(await cli.run("apply", "one.yaml", "--yes", "-o", "json"))).toMatchObject({
      exitCode: 4,
      outcome: "failed",
    });
  });
});

describe("apply on an unreachable server", () => {
  it("ends with exit code 7", async () => {
    const { cli } = await openRemoteScene();
    cli.file("one.yaml", "kind: Form\nobject: staffing/candidate\nname: One\ntypes: [VIEW]\n");
    cli.env["FORMCTL_BASE_URL"] = "http://127.0.0.1:1";
    expect(refusalOf(await cli.run("apply", "one.yaml", "--yes", "-o", "json"))).toMatchObject({ exitCode: 7 });
  });
});

describe("a draft that the server finds invalid", () => {
  it("is reported at its line in the layout's file", async () => {
    const { cli } = await openManifestsScene("a server");
    // The files can't show this error: only the server knows the fields.
    cli.file("manifests/profile.layout.yaml", layoutText("full_name", "email", "no_such_field"));
    const outcome = await cli.run("apply", "manifests", "--yes", "-o", "json");
    const step = documentOf(outcome)
      .resources.flatMap(({ steps }) => steps)
      .find(({ error }) => error);
    expect(step).toMatchObject({
      operation: "publishLayout",
      error: {
        exitCode: 3,
        location: { file: "manifests/profile.layout.yaml", line: 7 },
        problems: [{ code: "FIELD_UNKNOWN" }],
      },
    });
    const told = await cli.run("apply", "manifests", "--yes");
    expect(told.stderr).toMatch(/^manifests\/profile\.layout\.yaml:7:\d+ {2}error {2}FIELD_UNKNOWN/m);
    expect(told.code).toBe(3);
  });
});

describe.each(PLACES)("a saved plan on %s", (place) => {
  const seal = async (cli: ManifestsScene["cli"]) =>
    expect(await cli.run("plan", "manifests", "--out", "plan.json", "-o", "json")).toMatchObject({ code: 0 });

  it("may have any file name", async () => {
    const { cli } = await openManifestsScene(place);
    expect(await cli.run("plan", "manifests", "--out", "forms.plan", "-q")).toMatchObject({ code: 0 });
    const applied = documentOf(await cli.run("apply", "forms.plan", "--yes", "-o", "json"));
    expect(applied).toMatchObject({ outcome: "applied", summary: { resources: { created: 4 } } });
  });

  it("is applied as it was saved, and is stale afterwards", async () => {
    const { cli, writes } = await openManifestsScene(place);
    await seal(cli);
    const applied = documentOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"));
    expect(applied).toMatchObject({ outcome: "applied", summary: { resources: { created: 4 } } });
    const before = await writes();
    const again = refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"));
    expect(again).toMatchObject({ code: "PLAN_STALE", exitCode: 6 });
    expect(await writes()).toBe(before);
    expect(documentOf(await cli.run("apply", "manifests", "-o", "json")).outcome).toBe("unchanged");
  });

  it("is refused before the first write if another user changed a resource: 6, with its address", async () => {
    const { cli, writes } = await openManifestsScene(place);
    await cli.run("apply", "manifests", "--yes");
    cli.file("manifests/profile.layout.yaml", layoutText("full_name", "email", "notes"));
    await seal(cli);
    await behindNorthwind(cli, async (service) => {
      const { data } = await service.listForms(CANDIDATE);
      const { id: formId } = data.find(({ name }) => name === "Profile")!;
      await service.updateForm({ ...CANDIDATE, formId, body: { config: { title: "By hand" } } });
    });
    const before = await writes();
    const refused = refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"));
    expect(refused).toMatchObject({ code: "PLAN_STALE", exitCode: 6 });
    expect(refused.message).toContain("staffing/candidate/Profile (manifests/candidate.yaml:1)");
    expect(refused.location).toEqual({ file: "manifests/candidate.yaml", line: 1, column: 1 });
    expect(refused.message).not.toContain("Intake");
    expect(await writes()).toBe(before);
  });

  it("is refused on another target than its own: 64", async () => {
    const { cli, writes } = await openManifestsScene(place);
    await seal(cli);
    const before = await writes();
    if (place === "a server")
      cli.env["FORMCTL_BASE_URL"] = cli.env["FORMCTL_BASE_URL"]!.replace("127.0.0.1", "localhost");
    else cli.env["FORMCTL_ORGANIZATION"] = "contoso";
    expect(refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"))).toMatchObject({ exitCode: 64 });
    expect(await writes()).toBe(before);
  });

  it("can't be changed by flags or by hand", async () => {
    const { cli, writes } = await openManifestsScene(place);
    await seal(cli);
    const before = await writes();
    expect(refusalOf(await cli.run("apply", "plan.json", "--yes", "--no-publish", "-o", "json")).exitCode).toBe(64);
    const text = readFileSync(join(cli.cwd, "plan.json"), "utf8");
    cli.file("plan.json", text.replace("Candidate", "candidate"));
    expect(refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json")).exitCode).toBe(3);
    expect(await writes()).toBe(before);
  });
});

describe("a saved plan with a failed step", () => {
  it("continues when it is applied again, and is stale if another user changes what it applied", async () => {
    const { cli } = await openManifestsScene("a server");
    expect((await cli.run("plan", "manifests", "--out", "plan.json")).code).toBe(0);
    const whole = cli.env["FORMCTL_TOKEN"]!;
    const { token } = await behindNorthwind(cli, (_service, local) =>
      local.createToken({
        organization: "northwind",
        name: "forms only",
        permissions: ["api.custom_forms.read", "api.custom_forms.manage", "api.view_layouts.read"],
        expiresAt: null,
      }),
    );
    cli.env["FORMCTL_TOKEN"] = token;
    expect(documentOf(await cli.run("apply", "plan.json", "--yes", "-o", "json")).exitCode).toBe(9);
    cli.env["FORMCTL_TOKEN"] = whole;
    const formId = await behindNorthwind(cli, async (service) => {
      const { data } = await service.listForms(CANDIDATE);
      return data.find(({ name }) => name === "Intake")!.id;
    });
    const rename = (name: string) =>
      behindNorthwind(cli, (service) => service.updateForm({ ...CANDIDATE, formId, body: { name } }));
    await rename("Reception");
    const refused = refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"));
    expect(refused).toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("staffing/candidate/Intake") as string,
    });
    await rename("Intake");
    const rest = documentOf(await cli.run("apply", "plan.json", "--yes", "-o", "json"));
    expect(rest).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect((await cli.run("plan", "manifests", "--detailed-exitcode")).code).toBe(0);
    expect(refusalOf(await cli.run("apply", "plan.json", "--yes", "-o", "json")).exitCode).toBe(6);
  });
});

describe("a list that failed or is incomplete", () => {
  const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";
  const half = { data: [], meta: { page: 1, limit: 100, total: 7, hasMore: false } };

  it.each([
    ["failed", { status: 503, body: {} }, 7],
    ["is incomplete", { status: 200, body: half }, 6],
  ])("(%s) deletes nothing, whatever was confirmed", async (_how, reply, exitCode) => {
    const scene = await openManifestsScene("a server");
    const { cli, writes } = scene;
    await cli.run("apply", "manifests", "--yes");
    await behindNorthwind(cli, (service) =>
      service.createForm({ ...CANDIDATE, body: { name: "By hand", types: ["VIEW"] } }),
    );
    await insertProxy(cli, {
      request: ({ method, path, query }) => (method === "GET" && path === FORMS && query.size > 0 ? reply : undefined),
    });
    const before = await writes();
    const refused = refusalOf(await cli.run("apply", "manifests", "--yes", "--prune", "--allow-delete", "-o", "json"));
    expect(refused.exitCode).toBe(exitCode);
    expect(await writes()).toBe(before);
    expect(await formNames(scene)).toContain("By hand");
  });
});

describe("a .formctl folder that can't be written any more", () => {
  it("does not change the report, and the next run updates the lock", async () => {
    const { cli } = await openManifestsScene("a server");
    const lock = join(cli.cwd, ".formctl", "lock.json");
    let isPlanted = false;
    // A link replaces the lock file during the first write.
    await insertProxy(cli, {
      request({ method }) {
        if (!isPlanted && method === "POST") symlinkSync("/dev/null", lock);
        isPlanted ||= existsSync(lock);
        return undefined;
      },
    });
    const apply = () => cli.run("apply", "manifests", "--target", "CONTRACTOR/Card", "--yes", "-o", "json");
    const first = await apply();
    expect(documentOf(first)).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect(first.stderr).toContain("could not record in .formctl what was applied");
    rmSync(lock);
    expect(documentOf(await apply()).outcome).toBe("unchanged");
    expect(readFileSync(lock, "utf8")).toContain(documentOf(first).resources[0]!.steps[0]!.ids["layoutId"]);
  });
});

/** Creates a layout, and makes it the organization's default for the page of the card. @returns its id */
async function makeRival(cli: Cli): Promise<string> {
  const words = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", "Rival", "-o", "name"];
  const layoutId = (await cli.run(...words)).stdout.trim();
  expect((await cli.run("layouts", "assignments", "set", layoutId, "--default")).code).toBe(0);
  return layoutId;
}
