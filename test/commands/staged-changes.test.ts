/**
 * Tests field changes that manifests stage, in a store and on a server. Each change is executed once, or a message
 * states why it isn't.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { behindNorthwind, openManifestsScene, PLACES } from "./manifests-scene.ts";
import { followsDocument, manners, SHAPES } from "../proxy/manners.ts";
import { insertProxy } from "../proxy/proxy.ts";

type Scene = Awaited<ReturnType<typeof openScene>>;

const manifestText = (confirmed: string) => `kind: Form
object: staffing/candidate
name: Note
types: [VIEW]
confirmFieldChanges: [${confirmed}]
layout: ./note.layout.yaml
`;

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

const rename = (name: string) => `{draftId: d_city, action: update, key: home_city, name: ${name}}`;
const create = "{draftId: d_rank, action: create, key: rank, name: Rank, type: TEXT}";
const drop = "{draftId: d_drop, action: delete, key: notes}";

const layoutText = (label: string, staged: readonly string[]) => `schemaVersion: 1
regions: [{key: main, label: Main, layout: grid, columns: 12}]
blocks:
  - {id: f_phone, type: field, source: dynamic_field, ref: {fieldKey: phone}, regionKey: main, config: {label: ${label}}}
stagedFieldDefinitions: [${staged.join(", ")}]
`;

/** Adds a block that shows the field that `create` creates. */
const withRank = (text: string) =>
  text.replace(
    "stagedFieldDefinitions",
    "  - {id: f_rank, type: field, source: draft_custom_field, ref: {draftFieldDefinitionId: d_rank}, regionKey: main}\n$&",
  );

/** Creates a form without formctl's stamp. The project contains only its manifest. */
async function openScene(place: (typeof PLACES)[number]) {
  const { cli, writes } = await openManifestsScene(place);
  rmSync(join(cli.cwd, "manifests"), { recursive: true });
  const say = (label: string, ...staged: string[]) => {
    cli.file("manifests/note.yaml", manifestText(staged.includes(drop) ? "d_drop" : ""));
    cli.file("manifests/note.layout.yaml", layoutText(label, staged));
  };
  const apply = async (...flags: string[]) => {
    const outcome = await cli.run("apply", "manifests", "--yes", ...flags);
    if (outcome.code !== 0) throw new Error(`apply ended with ${outcome.code}: ${outcome.stderr}`);
  };
  const scene = {
    cli,
    say,
    apply,
    /** Simulates another user with a fresh project. */
    forget: () => rmSync(join(cli.cwd, ".formctl"), { recursive: true, force: true }),
    /** Expects an empty plan and an apply without writes. Returns the notes of the plan. */
    expectDone: async (...flags: string[]): Promise<string[]> => {
      const before = await writes();
      const plan = await cli.run("plan", "manifests", "--detailed-exitcode", "-o", "json", ...flags);
      expect(plan.code).toBe(0);
      await apply(...flags);
      expect(await writes()).toBe(before);
      expect((await cli.run("status", "manifests")).stdout).toMatch(/^STATE +MANIFEST +WHAT\nin sync/);
      return (plan.json() as { resources: { notes: string[] }[] }).resources.flatMap(({ notes }) => notes);
    },
    /** Returns the name of home_city, and the keys rank and notes if these fields exist. */
    fields: () =>
      behindNorthwind(cli, async (_service, local) => {
        const { organizations } = await local.show();
        const modules = organizations.find(({ key }) => key === "northwind")!.modules;
        const { fields } = modules.flatMap(({ objects }) => objects).find(({ key }) => key === "candidate")!;
        const [city] = fields.filter(({ key }) => key === "home_city");
        return [city?.name, ...fields.map(({ key }) => key).filter((key) => key === "rank" || key === "notes")];
      }),
    /** Publishes a content with this label without formctl. */
    publish: (label: string) =>
      behindNorthwind(cli, async (service) => {
        const { data } = await service.listForms({ ...CANDIDATE, query: { limit: 100 } });
        const { viewLayoutId: layoutId } = data.find(({ name }) => name === "Note")!;
        const [latest] = await service.listVersions({ layoutId });
        const { schemaVersion, regions, scriptBindings, blocks } = structuredClone(latest!);
        blocks[0]!.config = { label };
        const body = { regions, blocks, scriptBindings, clientMutationId: label, schemaVersion: 1 as const };
        expect(schemaVersion).toBe(1);
        const { draftVersionId } = await service.saveDraft({ layoutId, body });
        await service.publishLayout({ layoutId, body: { clientMutationId: label, draftVersionId } });
      }),
  };
  say("Phone");
  await apply("--no-stamp");
  return scene;
}

describe.each(PLACES)("a field change that a manifest stages on %s", (place) => {
  it("is carried out if the lock knows the layout without it, even without stamps", async () => {
    const { cli, apply, expectDone, fields, forget } = await openScene(place);
    // An export contains no field changes to execute.
    forget();
    await cli.run("export", "staffing/candidate", "--into", "manifests");
    for (const [staged, expected] of [
      [[rename("Town")], ["Town", "notes"]],
      [
        [rename("Town"), create],
        ["Town", "notes", "rank"],
      ],
      [
        [rename("City"), create],
        ["City", "notes", "rank"],
      ],
    ] as const) {
      cli.file("manifests/note.layout.yaml", layoutText("Phone", staged));
      expect((await cli.run("plan", "manifests", "--detailed-exitcode")).code).toBe(2);
      await apply();
      expect(await fields()).toEqual(expected);
      expect(await expectDone()).toEqual([]);
    }
  });

  it.each(["--no-stamp", ""])("is carried out once even if an older version has a stamp: apply %s", async (flag) => {
    const { say, apply, expectDone, fields } = await openScene(place);
    const flags = flag === "" ? [] : [flag];
    say("Tel", rename("One"));
    await apply();
    for (const name of ["Two", "Three", "One"]) {
      say(name, rename(name), drop);
      await apply(...flags);
      expect(await fields()).toEqual([name]);
      await expectDone(...flags);
      // Changes only the staged rename. The label stays the same.
      say(name, rename(`${name}s`), drop);
      await apply(...flags);
      expect(await fields()).toEqual([`${name}s`]);
      await expectDone(...flags);
    }
  });

  it("is not repeated after another user published", async () => {
    const { say, apply, expectDone, fields, publish } = await openScene(place);
    say("Phone", rename("Town"), create, drop);
    for (const flags of [["--no-stamp"], []]) {
      await apply(...flags);
      await publish(`By hand ${flags.length}`);
      await apply(...flags);
      expect(await fields()).toEqual(["Town", "rank"]);
      await expectDone(...flags);
    }
  });

  it("warns that without stamps the lock must be kept", async () => {
    const { cli, say } = await openScene(place);
    say("Phone", rename("Town"));
    expect((await cli.run("plan", "manifests", "--no-stamp")).stdout).toContain("only the lock in .formctl records");
    expect((await cli.run("plan", "manifests")).stdout).not.toContain("the lock in .formctl");
  });

  it("stays done in an export, and is noted if neither stamp nor lock shows it", async () => {
    const { cli, say, apply, expectDone, fields, forget, publish } = await openScene(place);
    say("Phone", rename("Town"), create, drop);
    await apply("--no-stamp");
    await publish("By hand");
    expect((await cli.run("export", "staffing/candidate", "--into", "manifests")).code).toBe(0);
    expect(await expectDone("--no-stamp")).toEqual([]);

    forget();
    const { stderr } = await cli.run("export", "staffing/candidate", "--into", "manifests");
    // A store shows its fields. A server doesn't, so formctl assumes that the change is done.
    expect(stderr.match(/\bd_\w+ is assumed to be applied/g)?.length).toBe(place === "a server" ? 3 : undefined);
    // Every plan has these notes.
    for (const _ of [1, 2]) expect(await expectDone("--no-stamp")).toHaveLength(place === "a server" ? 3 : 0);
    expect(await fields()).toEqual(["Town", "rank"]);
  });

  it("stays in an unpublished draft, and is carried out when it is published", async () => {
    const { say, apply, expectDone, fields } = await openScene(place);
    say("Phone", rename("Town"));
    await apply("--no-publish", "--no-stamp");
    expect(await fields()).toEqual(["Home city", "notes"]);
    await apply("--no-stamp");
    expect(await fields()).toEqual(["Town", "notes"]);
    await expectDone("--no-stamp");
  });
});

it("a published field change is not sent again after a later step failed, on a server", async () => {
  const { cli, say, apply, fields, expectDone } = await openScene("a server");
  say("Phone", rename("Town"), create);
  const access = (roleId: string) => `access: {users: [], roles: [{roleId: ${roleId}, types: [VIEW]}]}\n`;
  cli.file("manifests/note.yaml", `${manifestText("")}${access("rol_nobody")}`);
  expect((await cli.run("apply", "manifests", "--yes", "--no-stamp")).code).toBe(9);
  say("Phone", rename("Town"), create);
  await apply("--no-stamp");
  expect(await fields()).toEqual(["Town", "notes", "rank"]);
  expect(await expectDone("--no-stamp")).toEqual([]);
});

/** Applies the manifests, and then simulates a fresh clone without a lock. */
async function freshClone(scene: Scene, label: string) {
  scene.say(label, rename("Town"), create, drop);
  await scene.apply("--no-stamp");
  scene.forget();
}

describe("a fresh clone without a lock and stamps", () => {
  it("sees from the fields of a store which changes are done", async () => {
    const scene = await openScene("a local store");
    await freshClone(scene, "Phone");
    expect(await scene.expectDone("--no-stamp")).toEqual([]);
    scene.forget();
    scene.say("Other", rename("Town"), create, drop);
    await scene.apply("--no-stamp");
    scene.forget();
    scene.say("Other", rename("City"), create, drop);
    await scene.apply("--no-stamp");
    expect(await scene.fields()).toEqual(["City", "rank"]);
    await scene.expectDone("--no-stamp");
  });

  it("assumes on a server that a change is done if all else is in sync, and states how to force it", async () => {
    const scene = await openScene("a server");
    await freshClone(scene, "Phone");
    const { stdout } = await scene.cli.run("plan", "manifests");
    for (const id of ["d_city", "d_rank", "d_drop"])
      expect(stdout).toContain(`the staged change ${id} is assumed to be applied`);
    expect(stdout).toContain("formctl layouts draft push --publish");
    await scene.apply();
    scene.say("Phone", "{draftId: d_again, action: update, key: home_city, name: Again}");
    await scene.apply();
    expect(await scene.fields()).toEqual(["Again", "rank"]);
    const forced = ["layouts", "draft", "push", "staffing/candidate/Note", "forced.yaml", "--publish"];
    scene.cli.file("forced.yaml", layoutText("Phone", [rename("Forced")]));
    expect((await scene.cli.run(...forced)).code).toBe(0);
    expect(await scene.fields()).toEqual(["Forced", "rank"]);
  });

  it("sees in an export from a server that a field was created, because the published blocks show it", async () => {
    const { cli, apply, forget } = await openScene("a server");
    const text = withRank(layoutText("Phone", [create]));
    cli.file("manifests/note.layout.yaml", text);
    await apply("--no-stamp");
    forget();
    const { code, stderr } = await cli.run("export", "staffing/candidate", "--into", "manifests");
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/conflict|is assumed to be applied/)]);
    expect(readFileSync(join(cli.cwd, "manifests/note.layout.yaml"), "utf8")).toBe(text);
  });

  it("reports the server's refusal of a completed change at its line", async () => {
    const scene = await openScene("a server");
    await freshClone(scene, "Phone");
    scene.say("Other", rename("Town"), drop);
    const { code, stderr } = await scene.cli.run("apply", "manifests", "--yes");
    // The draft is saved, but the published version doesn't change.
    expect(code).toBe(9);
    expect(stderr).toMatch(/^manifests\/note\.layout\.yaml:5:\d+ +error +STAGED_TARGET_UNKNOWN/m);
    scene.say("Other", rename("Town"));
    await scene.apply();
    await scene.expectDone();
  });

  it("finds the field of a new form already in a store", async () => {
    const scene = await openScene("a local store");
    await freshClone(scene, "Phone");
    await behindNorthwind(scene.cli, async (service) => {
      const { data } = await service.listForms({ ...CANDIDATE, query: { limit: 100 } });
      await service.deleteForm({ ...CANDIDATE, formId: data[0]!.id });
    });
    await scene.apply();
    expect(await scene.expectDone()).toEqual([]);
  });
});

it("a field change is carried out once, and again if the file changes it, on a server that only follows the document", async () => {
  const scene = await openScene("a server");
  await insertProxy(scene.cli, followsDocument());
  // The server is another target, and the lock knows nothing about this target.
  await scene.apply();
  for (const flags of [["--no-stamp"], []]) {
    for (const name of ["One", "Two", "One"]) {
      scene.say("Phone", rename(name), drop);
      await scene.apply(...flags);
      expect(await scene.fields()).toEqual([name]);
      expect((await scene.cli.run("plan", "manifests", "--detailed-exitcode", ...flags)).code).toBe(0);
    }
  }
});

describe.each([
  ["what was staged", false],
  ["what was staged, and its blocks as they were", true],
])("on a server whose published version keeps %s,", (_, keepsBlocks) => {
  const withBlock = (scene: Scene, ...staged: string[]) => {
    scene.say("Phone", ...staged);
    scene.cli.file("manifests/note.layout.yaml", withRank(layoutText("Phone", staged)));
  };
  const open = async () => {
    const scene = await openScene("a server");
    await insertProxy(scene.cli, {
      manners: [...(keepsBlocks ? [manners["keeps blocks of staged fields"]()] : []), SHAPES.live()],
    });
    return scene;
  };

  it.each([[["--no-stamp"]], [[]]])("carries out a change once: %j", async (flags) => {
    const scene = await open();
    const { cli, apply, expectDone, fields } = scene;
    await apply(...flags);
    for (const name of ["One", "Two", "One"]) {
      withBlock(scene, rename(name), create, drop);
      await apply(...flags);
      expect(await fields()).toEqual([name, "rank"]);
      expect(await expectDone(...flags)).toEqual([]);
    }
    expect((await cli.run("export", "staffing/candidate", "--into", "manifests")).code).toBe(0);
    expect(await expectDone(...flags)).toEqual([]);
    expect((await cli.run("export", "staffing/candidate", "--into", "other")).code).toBe(0);
    expect((await cli.run("plan", "other", "--detailed-exitcode")).code).toBe(0);
  });

  it("shows a fresh clone which changes are done", async () => {
    const scene = await open();
    const { apply, expectDone, fields, forget } = scene;
    withBlock(scene, rename("Town"), create, drop);
    await apply("--no-stamp");
    forget();
    expect(await expectDone("--no-stamp")).toEqual([]);
    withBlock(scene, rename("City"), create, drop);
    await apply("--no-stamp");
    expect(await fields()).toEqual(["City", "rank"]);
    await expectDone("--no-stamp");
  });
});
