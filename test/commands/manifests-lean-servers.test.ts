/** Tests layouts as code on servers with only the documented answers, or with other shapes. Over a socket. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FullService } from "../../src/service.ts";
import type { Cli, Outcome } from "./cli.ts";
import { manners, type Shape, SHAPES } from "../proxy/manners.ts";
import { insertProxy, type Manner, refusal } from "../proxy/proxy.ts";
import { behindNorthwind, layoutText, openManifestsScene } from "./manifests-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const OBJECTS = ["staffing/candidate", "staffing/placement"];

const NONSENSE = /undefined|NaN|\[object Object\]|internal error/;

/** Opens an empty server of the shape, and the manifests of a scene. No output may contain nonsense. */
async function openScene(shape: Shape, manner: Manner = {}) {
  const { cli, roleId } = await openManifestsScene("a server");
  const server = await insertProxy(cli, { ...manner, manners: [SHAPES[shape]()] });
  const type = async (...argv: string[]): Promise<Outcome & { writes: string[] }> => {
    const since = server.received.length;
    const outcome = await cli.run(...argv);
    for (const text of [outcome.stdout, outcome.stderr]) expect(text).not.toMatch(NONSENSE);
    return { ...outcome, writes: server.writes(since) };
  };
  const apply = async (...flags: string[]) => {
    const outcome = await type("apply", "manifests", "--yes", ...flags);
    if (outcome.code !== 0) throw new Error(`apply ended with ${outcome.code}: ${outcome.stderr}`);
    return outcome;
  };
  /** Expects that the plan is empty, the apply writes nothing, and the status shows no differences. */
  const expectDone = async (folder = "manifests", ...flags: string[]) => {
    const plan = await type("plan", folder, "--detailed-exitcode", ...flags);
    expect(plan.stdout).toMatch(/0 to create, 0 to change, 0 to delete; \d+ in sync\n$/);
    expect(plan.code).toBe(0);
    expect((await type("apply", folder, "--yes", ...flags)).writes).toEqual([]);
    expect((await type("status", folder, "--detailed-exitcode", ...flags)).code).toBe(0);
  };
  return { cli, roleId, server, type, apply, expectDone };
}

function only(cli: Cli, manifest: string): void {
  rmSync(join(cli.cwd, "manifests"), { recursive: true });
  cli.file("manifests/form.yaml", manifest);
}

const form = (members: string) => `kind: Form
object: staffing/candidate
name: Note
types: [VIEW]
${members}`;

/** Reads or changes the form in the store behind the servers. */
function behindForm<T>(cli: Cli, use: (service: FullService, form: { id: string }) => Promise<T>): Promise<T> {
  return behindNorthwind(cli, async (service) => {
    const { data } = await service.listForms({ ...CANDIDATE, query: { limit: 100 } });
    return use(
      service,
      data.find(({ name }) => name === "Note")!,
    );
  });
}

describe.each(Object.keys(SHAPES) as Shape[])("on a server with %s answers", (shape) => {
  it("the next plan is empty, an export can be planned, and --prune deletes forms without a manifest", async () => {
    const { type, apply, expectDone } = await openScene(shape);
    expect((await type("plan", "manifests")).stdout).toContain("4 to create, 0 to change, 0 to delete");
    expect((await apply()).stdout).toContain("4 created");
    await expectDone();

    expect((await type("export", ...OBJECTS)).code).toBe(0);
    const again = await type("export", ...OBJECTS, "--into", "manifests");
    expect(again.stdout).toMatch(/^(unchanged {2}.*\n)+$/);
    expect(again.stderr).not.toContain("nothing is published");
    expect((await type("export", ...OBJECTS, "--into", "other")).code).toBe(0);
    await expectDone("other");

    await type("forms", "create", "staffing/candidate", "--name", "Trial", "--types", "VIEW");
    expect((await type("plan", "manifests", "--prune", "--out", "plan.json")).stdout).toContain("1 to delete");
    // The apply reads the same state as the plan, so the saved plan is still valid.
    const pruned = await type("apply", "plan.json", "--yes", "--allow-delete");
    expect(pruned.stdout).toContain("1 deleted");
    expect((await type("plan", "manifests", "--prune", "--detailed-exitcode")).code).toBe(0);
    await expectDone();
  });

  it("sees a change of the record on the target, and reverts it", async () => {
    const { cli, type, apply, expectDone } = await openScene(shape);
    only(cli, form("config: {title: Note, note: kept}\nisActive: true\nisPublic: false\n"));
    await apply();
    await expectDone();
    const config = { title: "By hand", note: "kept" };
    await behindForm(cli, (service, { id: formId }) => service.updateForm({ ...CANDIDATE, formId, body: { config } }));
    expect((await type("status", "manifests")).stdout).toMatch(
      /changed on target +staffing\/candidate\/Note +config: changed on target/,
    );
    expect((await type("plan", "manifests")).stdout).toContain('config.title: "By hand" → "Note"');
    expect((await type("export", "staffing/candidate", "--into", "manifests")).stdout).toContain("(1 line)");
    await expectDone();
    only(cli, form("config: {title: Note, note: kept}\n"));
    await apply();
    await expectDone();
  });

  it("finds a form that was renamed on the target, and creates no second one", async () => {
    const { cli, type, apply, expectDone } = await openScene(shape);
    only(cli, form(""));
    await apply();
    const name = "Renamed";
    await behindForm(cli, (service, { id: formId }) => service.updateForm({ ...CANDIDATE, formId, body: { name } }));
    expect((await type("plan", "manifests")).stdout).toContain('name: "Renamed" → "Note"');
    await apply();
    await expectDone();
    expect((await type("forms", "list", "staffing/candidate", "-o", "json")).json()).toHaveLength(1);
  });

  it("publishes a layout once more for an added mode", async () => {
    const proxy = { isCut: false };
    const { cli, type, apply, expectDone } = await openScene(shape, {
      request: ({ method, path }) =>
        proxy.isCut && method === "PUT" && path.endsWith("/draft") ? refusal(403) : undefined,
    });
    const withModes = (types: string) => form("layout: ./note.layout.yaml\n").replace("[VIEW]", types);
    only(cli, withModes("[VIEW]"));
    cli.file("manifests/note.layout.yaml", layoutText("full_name", "email"));
    await apply();
    await expectDone();
    cli.file("manifests/form.yaml", withModes("[VIEW, EDIT]"));
    proxy.isCut = true;
    expect((await type("apply", "manifests", "--yes")).code).toBe(9);
    proxy.isCut = false;
    await apply();
    await expectDone();
    const read = await behindForm(cli, (service, { id: formId }) => service.getForm({ ...CANDIDATE, formId }));
    expect(read.usableTypes).toEqual(["VIEW", "EDIT"]);
  });

  it("changes the defaults, and reports what can't be observed", async () => {
    const { cli, type, apply, expectDone } = await openScene(shape);
    only(cli, form("defaultFor: [VIEW]\n"));
    await apply();
    await expectDone();
    only(cli, form("defaultFor: []\n"));
    const { stdout } = await type("plan", "manifests");
    expect(stdout).toContain(
      shape === "live"
        ? 'defaultFor: ["VIEW"] → []'
        : "To clear a default: formctl forms defaults clear staffing/candidate VIEW",
    );
    expect(stdout).not.toContain("written, because");
    await apply();
    await expectDone();
  });

  it("resumes an interrupted saved plan", async () => {
    const proxy = { isCut: true };
    const { type, expectDone } = await openScene(shape, {
      request: ({ method, path }) =>
        proxy.isCut && method === "PUT" && /\/(access|assignments)$/.test(path) ? refusal(403) : undefined,
    });
    await type("plan", "manifests", "--out", "plan.json");
    expect((await type("apply", "plan.json", "--yes")).code).toBe(9);
    proxy.isCut = false;
    const { code, writes } = await type("apply", "plan.json", "--yes");
    expect(code).toBe(0);
    expect(writes.filter((write) => !/\/(access|assignments|defaults)$/.test(write))).toEqual([]);
    await expectDone();
  });

  it("publishes no draft with warnings with --strict", async () => {
    const { cli, type, expectDone } = await openScene(shape);
    only(cli, form("layout: ./note.layout.yaml\n").replace("[VIEW]", "[EDIT]"));
    const layout = layoutText("full_name");
    // Only the server knows that the field is required.
    cli.file("manifests/note.layout.yaml", layout.replace("requiredPolicy: required", "requiredPolicy: optional"));
    const { code, stderr } = await type("apply", "manifests", "--yes", "--strict");
    expect(stderr).toMatch(/^manifests\/note.layout.yaml:5:165 +warning +REQUIRED_POLICY_WEAKER/m);
    expect(code).toBe(9);
    cli.file("manifests/note.layout.yaml", layout);
    expect((await type("apply", "manifests", "--yes", "--strict")).code).toBe(0);
    await expectDone();
  });
});

describe.each(Object.keys(SHAPES) as Shape[])("on a server with %s answers,", (shape) => {
  it.each([
    ["and is read back", false],
    ["and can't be read back", true],
  ])("goes on with a form whose creation was not answered, %s", async (_, isDown) => {
    const fault = { isOn: false, hasCreated: false };
    const { cli, type, expectDone } = await openScene(shape, {
      request: () => (fault.isOn && isDown && fault.hasCreated ? refusal(403) : undefined),
      answer(_reply, { method, path }) {
        if (!fault.isOn || method !== "POST" || !path.endsWith("/forms")) return undefined;
        fault.hasCreated = true;
        return refusal(504);
      },
    });
    only(cli, form("layout: ./note.layout.yaml\n"));
    cli.file("manifests/note.layout.yaml", layoutText("full_name"));
    await type("plan", "manifests", "--out", "plan.json");
    fault.isOn = true;
    expect((await type("apply", "plan.json", "--yes")).code).toBe(isDown ? 7 : 0);
    fault.isOn = false;
    // Executes the remaining steps of the plan.
    if (isDown) await type("apply", "plan.json", "--yes");
    await expectDone();
    expect((await type("forms", "list", "staffing/candidate", "-o", "json")).json()).toHaveLength(1);
  });

  it("has a rename hint with the possible former name", async () => {
    const { cli, type, apply } = await openScene(shape);
    only(cli, form("layout: ./note.layout.yaml\n"));
    cli.file("manifests/note.layout.yaml", layoutText("full_name"));
    await apply();
    cli.file("manifests/form.yaml", form("layout: ./note.layout.yaml\n").replace("Note", "Memo"));
    const { stdout } = await type("plan", "manifests", "--prune");
    expect(stdout).toContain('looks like a rename of "Note"');
    expect(stdout).toContain(
      'delete the form "Note", which no manifest names; but it looks like "Memo" of manifests/form.yaml',
    );
  });
});

it("exports with --all what the project knows, and states what was not read", async () => {
  const { cli, type, apply } = await openScene("documented");
  const unknown = await type("export", "--all");
  expect([unknown.code, unknown.stderr]).toEqual([
    5,
    expect.stringMatching(/does not list layouts[^]*formctl export MODULE\/OBJECT/),
  ]);
  await apply();
  const addresses = ["staffing/candidate/Intake", "staffing/candidate/Profile", "staffing/placement/Desk"];
  const incomplete = "this server lists neither objects nor layouts, so only what the lock and the manifests";
  const ofLock = await type("export", "--all", "-o", "name");
  expect([ofLock.code, ofLock.stdout]).toEqual([0, addresses.map((address) => `${address}\n`).join("")]);
  expect(ofLock.stderr).toContain("CONTRACTOR/Card is not exported: this server does not show the layout");
  expect(ofLock.stderr).toContain(incomplete);

  // Without a lock, the manifests name the objects: those of the project, and those in the folder.
  rmSync(join(cli.cwd, ".formctl"), { recursive: true });
  cli.file("formctl.yaml", "manifests: manifests\n");
  const ofProject = await type("export", "--all", "-o", "name");
  expect(ofProject.stdout).toBe(ofLock.stdout);
  expect(ofProject.stderr).toContain("CONTRACTOR/Card is not exported: its id is unknown");
  cli.file("manifests/broken.yaml", "kind: Form\nobject: [\n");
  expect((await type("export", "--all")).stderr).toContain("manifests in manifests have errors");
  rmSync(join(cli.cwd, "formctl.yaml"));
  rmSync(join(cli.cwd, "manifests/broken.yaml"));
  const ofFolder = await type("export", "--all", "--into", "manifests", "-o", "json");
  expect(ofFolder.code).toBe(0);
  expect(ofFolder.json()).toMatchObject({
    gone: [],
    notes: expect.arrayContaining([expect.stringContaining(incomplete)]),
  });
});

it("exports everything with --all if the server lists layouts", async () => {
  const { type, apply } = await openScene("live");
  await apply();
  const all = await type("export", "--all");
  expect([all.code, all.stderr]).toEqual([0, ""]);
  expect(all.stdout).toBe((await type("export", ...OBJECTS, "--all-layouts")).stdout);
  expect(all.stdout).toContain("name: Card");
});

it("finds layouts and their assignments if a list shows only ids", async () => {
  const { cli, apply, expectDone, type } = await openScene("live", manners["lists only ids of layouts"]());
  await apply();
  rmSync(join(cli.cwd, ".formctl"), { recursive: true });
  await expectDone();
  const { stdout, code } = await type("export", "--all-layouts");
  expect(code).toBe(0);
  expect(stdout).toContain("organizationDefault: true");
});

it("does not take content that the server does not show for empty", async () => {
  const { type, apply, expectDone } = await openScene("live", manners["leaves out content"]());
  await apply();
  await expectDone();
  const { stdout } = await type("plan", "manifests");
  expect(stdout).toContain("content can't be read, because this server does not show what is published");
  const exported = await type("export", "staffing/candidate/Profile");
  expect(exported.stdout).not.toContain("layout:");
  expect(exported.stderr).toContain("the server does not show the published version: the layout is omitted");
  const again = await type("apply", "manifests", "--yes");
  expect(again.stdout).toContain("matches the manifests as far as the server shows it");
});

it("reports a refusal that the document does not name, and sends the request again in the next run", async () => {
  const { cli, type, apply } = await openScene("documented");
  only(cli, form("isActive: true\n"));
  await apply();
  cli.file("manifests/form.yaml", form("isActive: false\n"));
  for (const _ of [1, 2]) {
    expect((await type("plan", "manifests")).stdout).toContain("isActive: true → false");
    const { code, stderr } = await type("apply", "manifests", "--yes");
    expect(code).toBe(3);
    expect(stderr).toContain("manifests/form.yaml:5:11  error  VALIDATION_FAILED");
  }
});
