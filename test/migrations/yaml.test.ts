/** Migrations in YAML: what they compute, what they call, and where their problems are. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import { describeFailure } from "../../src/composition/exit.ts";
import type { FormMembers, Transform } from "../../src/migrations/definition.ts";
import { loadMigration } from "../../src/migrations/load.ts";
import type { LoadedMigration } from "../../src/migrations/loaded.ts";
import type { RecordedStep } from "../../src/migrations/record.ts";
import { runScript, type ScriptRun } from "../../src/migrations/script.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { Service } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { httpInProcess } from "../contract/http-providers.ts";
import type { ContractWorld } from "../contract/provider.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

/** Loads a migration in YAML. It has no code, so the exports of `formctl` must not be loaded. */
function load(text: string): Promise<LoadedMigration> {
  const path = join(newFolder(), "20261122-1000-change.yaml");
  writeFileSync(path, text);
  return loadMigration({ path, file: "migrations/change.yaml", library: () => Promise.reject(new Error("loaded")) });
}

const field = (id: string, fieldKey: string, more: Partial<Block> = {}): Block => ({
  id,
  type: "field",
  source: "dynamic_field",
  ref: { fieldKey },
  ...more,
});

const CONTENT: DraftContent = {
  schemaVersion: 1,
  regions: [
    { key: "main", layout: "grid", columns: 12 },
    { key: "side", layout: "stack" },
  ],
  blocks: [
    {
      id: "sec",
      type: "section",
      source: "system",
      regionKey: "main",
      config: { label: "About" },
      children: [
        field("f1", "email", { config: { label: "E-mail" } }),
        {
          id: "inner",
          type: "section",
          source: "system",
          config: { label: "Inner" },
          children: [field("f2", "phone")],
        },
      ],
    },
    field("f3", "notes", { regionKey: "main" }),
  ],
  stagedFieldDefinitions: [],
  scriptBindings: [],
  metadata: null,
};

async function transform(edits: string): Promise<DraftContent> {
  const { migration } = await load(`edits:\n  - ${edits}\n`);
  return (migration as Transform).layout!(structuredClone(CONTENT), {} as never)!;
}

/** Returns the blocks as text: their ids, with the children in brackets. */
const outline = (blocks: readonly Block[]): string =>
  blocks.map(({ id, children }) => (children ? `${id}(${outline(children)})` : String(id))).join(" ");

describe("a transform", () => {
  it.each([
    ["renameField: { from: email, to: work_email }", "sec(f1 inner(f2)) f3"],
    ["replaceBlocks: { where: { field: notes }, with: { type: comments, source: system } }", "sec(f1 inner(f2)) f3"],
    ["replaceBlocks: { where: { id: f3 }, with: [] }", "sec(f1 inner(f2))"],
    ["removeBlocks: { where: { type: section, label: Inner } }", "sec(f1) f3"],
    ["addSection: { id: pay, label: Pay, region: side, blocks: [] }", "sec(f1 inner(f2)) f3 pay()"],
    ["moveBlocks: { where: { field: phone }, region: side }", "sec(f1 inner()) f3 f2"],
    ["moveBlocks: { where: { id: f3 }, into: sec }", "sec(f1 inner(f2) f3)"],
  ])("applies %s", async (edit, wanted) => {
    expect(outline((await transform(edit)).blocks)).toBe(wanted);
  });

  it("renames, sets and removes members, also in blocks inside of changed blocks", async () => {
    expect(JSON.stringify(await transform("renameField: { from: email, to: work_email }"))).not.toContain('"email"');
    const wide = await transform("setMember: { where: { type: section }, member: config.columns, value: 2 }");
    expect(wide.blocks[0]!.config).toEqual({ label: "About", columns: 2 });
    expect(wide.blocks[0]!.children![1]!.config).toEqual({ label: "Inner", columns: 2 });
    const plain = await transform("setMember: { where: { label: E-mail }, member: config.label }");
    expect(plain.blocks[0]!.children![0]!.config).toEqual({});
    const region = await transform("addRegion: { region: { key: top, layout: stack }, before: main }");
    expect(region.regions.map(({ key }) => key)).toEqual(["top", "main", "side"]);
  });

  it("applies its edits in order, and has functions only for what it edits", async () => {
    const text = `match: { objects: [staffing/candidate], forms: [Intake] }
edits:
  - renameField: { from: email, to: work_email }
  - setMember: { where: { field: work_email }, member: config.label, value: Work e-mail }
confirmFieldChanges: [d_pay]
`;
    const { migration } = await load(text);
    const change = migration as Transform;
    expect(Object.keys(change)).toEqual(["match", "layout", "confirmFieldChanges"]);
    expect(change.match).toEqual({ objects: ["staffing/candidate"], forms: ["Intake"] });
    expect(change.confirmFieldChanges).toEqual(["d_pay"]);
    expect(change.layout?.(CONTENT, {} as never)?.blocks[0]!.children![0]).toMatchObject({
      config: { label: "Work e-mail" },
    });
  });

  it("changes members of forms", async () => {
    const { migration } = await load("edits:\n  - setForm: { member: config.title, value: Hello }\n");
    const change = migration as Transform;
    const members: FormMembers = { name: "Intake", types: ["CREATE"] };
    expect(Object.keys(change)).toEqual(["form"]);
    expect(change.form?.(members, {} as never)).toEqual({ ...members, config: { title: "Hello" } });
    const done: FormMembers = { ...members, config: { title: "Hello" } };
    expect(change.form?.(done, {} as never)).toBe(done);
  });

  it("leaves a content unchanged that is as it should be", async () => {
    for (const edit of [
      "renameField: { from: day_rate, to: pay_rate }",
      "setMember: { where: { id: f1 }, member: config.label, value: E-mail }",
      "setMember: { where: { id: f3 }, member: config.label }",
    ]) {
      const { migration } = await load(`edits:\n  - ${edit}\n`);
      expect((migration as Transform).layout!(CONTENT, {} as never)).toBe(CONTENT);
    }
  });

  it("locates the error of an edit at the edit", async () => {
    const { migration, call } = await load(
      "edits:\n  - renameField: { from: a, to: b }\n  - moveBlocks: { where: { id: f3 }, region: sdie }\n",
    );
    const work = () => call("layout", () => (migration as Transform).layout!(CONTENT, {} as never));
    expect(work).toThrow(/^migrations\/change\.yaml:3:5: unknown region "sdie"/);
  });

  it("refuses a result at the list of edits", async () => {
    const { refuse } = await load("match: {}\nedits:\n  - setForm: { member: name, value: 1 }\n");
    expect(refuse("form", "name must be text").message).toBe("migrations/change.yaml:2:1: name must be text");
  });
});

describe("an invalid file", () => {
  it.each([
    ["[]", "1:1: a migration must be an object with edits or steps"],
    ["match: {}", "1:1: the migration has neither edits nor steps. Add edits (a transform) or steps (a script)"],
    ["edit: []", '1:1: the migration has neither edits nor steps. Did you mean "edits"?'],
    ["steps: []\nedits: []", "2:1: a migration has edits or steps, not both. Write two migrations"],
    ["edits: []", "1:1: edits must not be empty"],
    ["edits:\n  - {}", "2:5: edits[0] must have one of renameField"],
    [
      "edits:\n  - renameField: { from: a, to: b }\n    setForm: { member: name, value: A }",
      "2:5: edits[0] must have one of renameField and setForm. Write an edit for each",
    ],
    ["edits:\n  - removeBlocks: { where: {} }", "2:21: edits[0].removeBlocks.where must have at least one of"],
    ["edits:\n  - moveBlocks: { where: { id: a } }", "2:5: edits[0].moveBlocks must have either region or into"],
    ["edits:\n  - setForm: { member: a..b, value: 1 }", "2:24: edits[0].setForm.member must be the path of a member"],
    ["edits:\n  - setForm: { member: __proto__.a, value: 1 }", "2:24: edits[0].setForm.member must be the path"],
    ["steps:\n  - name: a\n    renameForm: {}", "3:5: steps[0].renameForm is not a known member"],
    [
      "steps:\n  - name: a\n    deleteForm: { form: Intake }",
      "3:25: steps[0].deleteForm.form must be MODULE/OBJECT/FORM",
    ],
    [
      "steps:\n  - { name: a, deleteForm: { form: a/b/c } }\n  - { name: a, deleteForm: { form: a/b/d } }",
      '3:13: steps[1].name "a" is listed twice',
    ],
    ["down: []", "1:1: steps is required"],
    ["steps: [", "1:9: unexpected end"],
  ])("is refused with its position: %j", async (text, message) => {
    const error: unknown = await load(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LocatedError);
    expect(describeFailure(error).exitCode).toBe(3);
    expect(describeFailure(error).message).toContain(message);
  });
});

const SCRIPT = `steps:
  - name: create the intake form
    createForm: { object: staffing/candidate, body: { name: First intake, types: [VIEW] } }
  - name: save its draft
    saveDraft:
      layout: staffing/candidate/First intake
      body:
        schemaVersion: 1
        regions: [{ key: main, label: Main, layout: stack }]
        blocks: [{ id: f1, type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main }]
  - name: publish it
    publishLayout: { layout: staffing/candidate/First intake }
  - name: make it the default
    updateFormDefaults: { object: staffing/candidate, body: { defaultViewFormId: First intake } }
  - name: create a page
    createLayout: { body: { surface: DASHBOARD, supportedModes: [VIEW], target: { dashboardKey: main }, name: Board } }
  - name: rename the page
    updateLayout: { layout: DASHBOARD dashboardKey=main/Board, body: { name: Old board } }
  - name: archive the page
    archiveLayout: { layout: DASHBOARD dashboardKey=main/Old board }
  - name: rename the form
    updateForm: { form: staffing/candidate/First intake, body: { name: New intake } }
down:
  - name: clear the default
    updateFormDefaults: { object: staffing/candidate, body: { defaultViewFormId: null } }
  - name: delete the form
    deleteForm: { form: staffing/candidate/New intake }
`;

describe.each([engineOnSqlite, httpInProcess])("a script on $name", (provider) => {
  let world: ContractWorld;
  let service: Service;
  let loaded: LoadedMigration;

  beforeEach(async () => {
    world = await provider.open();
    service = await world.as("northwind");
    loaded = await load(SCRIPT);
  });
  afterEach(() => world.close());

  const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

  const run = (recorded: RecordedStep[], more: Partial<ScriptRun> = {}) =>
    runScript({
      loaded,
      direction: "run",
      service,
      seed: "change",
      recorded: [...recorded],
      now: () => new Date("2026-11-22T10:00:00.000Z"),
      onStep: async (step) => void recorded.push(step),
      ...more,
    });

  const effects = async () => (await world.local.log({ limit: 100 })).map(({ operation }) => operation).toReversed();
  const EFFECTS = [
    "createForm",
    "saveDraft",
    "publishLayout",
    "updateFormDefaults",
    "createLayout",
    "updateLayout",
    "archiveLayout",
    "updateForm",
  ];

  it("finds its addresses, and has each effect once", async () => {
    const recorded: RecordedStep[] = [];
    await run(recorded);
    expect((await effects()).filter((name) => name !== "seed")).toEqual(EFFECTS);
    const { data } = await service.listForms(CANDIDATE);
    expect(data).toMatchObject([{ name: "New intake", isDefaultView: true, usableTypes: ["VIEW"] }]);
    await run([], { direction: "down", seed: "change down" });
    expect((await service.listForms(CANDIDATE)).data).toEqual([]);
  });

  it("continues after an interruption between any write and its record", async () => {
    const recorded: RecordedStep[] = [];
    const stop = new Error("stopped");
    let runs = 0;
    for (let isDone = false; !isDone; runs++) {
      let isFirst = true;
      // Every second run loses the record of its first new write.
      const onStep = async (step: RecordedStep) => {
        if (!step.name.endsWith(": find") && isFirst && runs % 2 === 0) {
          isFirst = false;
          throw stop;
        }
        recorded.push(step);
      };
      isDone = await run(recorded, { onStep }).then(
        () => true,
        (error: unknown) => {
          expect(error).toBe(stop);
          return false;
        },
      );
    }
    expect((await effects()).filter((name) => name !== "seed")).toEqual(EFFECTS);
  });

  it("locates the error of a step at the step", async () => {
    loaded = await load("steps:\n  - name: a\n    deleteForm: { form: staffing/candidate/Missing }\n");
    const error: unknown = await run([]).catch((thrown: unknown) => thrown);
    expect(describeFailure(error)).toMatchObject({
      exitCode: 5,
      message: expect.stringContaining('migrations/change.yaml:2:5: the form "Missing" of staffing/candidate does not'),
    });
  });
});
