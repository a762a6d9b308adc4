/** Transforms of manifests and layout files: what changes in the files, what stays, and what is refused. */

import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import { FormctlError } from "../../src/base/error.ts";
import type { Transform } from "../../src/migrations/definition.ts";
import type { CallableTransform } from "../../src/migrations/change-manifest.ts";
import { type Codemod, type CodemodRequest, planCodemod, writeCodemod } from "../../src/migrations/codemod.ts";
import type { Block } from "../../src/schemas/draft.ts";
import { temporaryFolder } from "../temporary.ts";

const NORTHWIND = join(import.meta.dirname, "../../examples/northwind");

function project(files: Record<string, string> = {}) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const root = folder.path;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return {
    root,
    read: (name: string) => readFileSync(join(root, name), "utf8"),
    plan: (transform: Transform, request: Partial<CodemodRequest> = {}): Codemod =>
      planCodemod({ transform: callable(transform), paths: ["forms"], cwd: root, root, env: {}, ...request }),
  };
}

function callable(migration: Transform): CallableTransform {
  return {
    migration,
    file: "migrations/1-change.ts",
    call: (_member, work) => work(),
    refuse: (member, message, hint) => new FormctlError("MIGRATION_INVALID", `${member}: ${message}`, hint),
  };
}

function eachBlock(blocks: readonly Block[], change: (block: Block) => void): void {
  for (const block of blocks) {
    change(block);
    eachBlock(block.children ?? [], change);
  }
}

const renameField = (from: string, to: string): Transform => ({
  match: { showsField: from },
  layout(content) {
    eachBlock(content.blocks, ({ ref }) => {
      if (ref?.fieldKey === from) ref.fieldKey = to;
    });
    for (const { target } of content.scriptBindings) if (target?.["fieldKey"] === from) target["fieldKey"] = to;
    return content;
  },
});

function problemsOf(work: () => unknown): { code: string; problems: string[] } {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LocatedError)) return { code: (error as FormctlError).code, problems: [] };
    const { code, problems } = error;
    return {
      code,
      problems: problems.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`),
    };
  }
  throw new Error("expected a refusal");
}

/** Returns the lines that differ, with `-` or `+` before each line. */
function changed(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}

const FORM = `# The intake form.
kind: Form
object: staffing/candidate
name: "Intake"   # shown to recruiters
types: [CREATE, EDIT]
config:
  title: \${TITLE:-Hello}
layout:
  schemaVersion: 1
  regions:
    - { key: main, label: Main, layout: grid, columns: 12 }
  blocks:
    # The name comes first.
    - { type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main, config: { label: '\${LABEL:-Name}' } } # name
    # The rate.
    - type: field
      source: dynamic_field
      ref: &rate { fieldKey: day_rate }   # the old key
      regionKey: main
      grid: { colSpan: 6 }
`;

describe("a transform of files", () => {
  it("changes only the lines of changed values", async () => {
    const { plan, read } = project({ "forms/intake.yaml": FORM });
    const codemod = plan(renameField("day_rate", "pay_rate"));
    expect(codemod).toMatchObject({ manifests: 1, matched: 1 });
    expect(codemod.files).toMatchObject([
      { name: "forms/intake.yaml", lines: 1, addresses: ["staffing/candidate/Intake"], lostComments: [] },
    ]);
    await writeCodemod(codemod.files, process.cwd());
    expect(read("forms/intake.yaml")).toBe(
      FORM.replace("&rate { fieldKey: day_rate }", "&rate { fieldKey: pay_rate }"),
    );
    expect(plan(renameField("day_rate", "pay_rate")).files).toEqual([]);
  });

  it("changes the layout files and manifests of the example, line by line", async () => {
    const { root, plan, read } = project();
    cpSync(join(NORTHWIND, "manifests"), join(root, "forms"), { recursive: true });
    const before = read("forms/candidate-profile.layout.yaml");
    const codemod = plan(renameField("day_rate", "pay_rate"));
    await writeCodemod(codemod.files, process.cwd());
    expect(codemod.files.map(({ name, lines }) => [name, lines])).toEqual([["forms/candidate-profile.layout.yaml", 2]]);
    const after = read("forms/candidate-profile.layout.yaml");
    expect(after).toBe(before.replaceAll("fieldKey: day_rate", "fieldKey: pay_rate"));
    // A function that returns its argument changes no file.
    expect(plan({ layout: (content) => content, form: (form) => form }).files).toEqual([]);
  });

  it("changes no other line of the example, and keeps its comments and placeholders", async () => {
    const { root, plan } = project();
    cpSync(join(NORTHWIND, "manifests"), join(root, "forms"), { recursive: true });
    const files = () =>
      readdirSync(join(root, "forms"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".yaml"))
        .toSorted((a, b) => (a < b ? -1 : 1))
        .flatMap((name) => readFileSync(join(root, "forms", name), "utf8").split("\n"));
    const before = files();
    const codemod = plan({
      layout(content) {
        eachBlock(content.blocks, ({ config }) => {
          if (typeof config?.["label"] === "string") config["label"] = config["label"].toUpperCase();
        });
        return content;
      },
    });
    await writeCodemod(codemod.files, process.cwd());
    const after = files();
    expect(after).toHaveLength(before.length);
    const differing = before.filter((line, index) => line !== after[index]);
    expect(differing.length).toBeGreaterThan(20);
    expect(differing.every((line) => line.includes("label: "))).toBe(true);
    expect(codemod.files.flatMap(({ lostComments }) => lostComments)).toEqual([]);
  });

  it("finds the manifests by match", () => {
    const layout = `kind: Layout\nname: Ops\nsurface: DASHBOARD\nsupportedModes: [VIEW]\ntarget: {dashboardKey: ops}\nlayout:\n  schemaVersion: 1\n  regions: []\n  blocks: []\n`;
    const { plan } = project({ "forms/intake.yaml": FORM, "forms/ops.yaml": layout });
    const count = (match: Transform["match"]) =>
      plan({ ...(match && { match }), layout: (content) => content }).matched;
    expect(count(undefined)).toBe(2);
    expect(count({ objects: ["staffing/candidate"] })).toBe(1);
    expect(count({ objects: ["staffing/placement"] })).toBe(0);
    expect(count({ surfaces: ["DASHBOARD"] })).toBe(1);
    expect(count({ forms: ["Intake"], showsField: "day_rate" })).toBe(1);
    expect(count({ forms: ["Intake"], showsField: "other" })).toBe(0);
    expect(count({ layouts: ["Ops"] })).toBe(1);
    expect(count({ layouts: ["Intake"] })).toBe(0);
    expect(count({ blockType: "field" })).toBe(1);
    expect(count({ blockType: "section" })).toBe(0);
  });

  it("keeps placeholders, comments and omitted ids of a block that moves into a new section", async () => {
    const { plan, read } = project({ "forms/intake.yaml": FORM });
    const codemod = plan({
      layout(content) {
        const [name, rate] = content.blocks;
        const section: Block = {
          id: "sec",
          type: "section",
          source: "system",
          ref: { componentKey: "section" },
          regionKey: "main",
          config: { label: "Pay" },
          children: [rate!, { ...name!, supportedModes: ["EDIT"] }],
        };
        return { ...content, blocks: [section] };
      },
    });
    expect(codemod.files[0]!.lostComments).toEqual([]);
    await writeCodemod(codemod.files, process.cwd());
    const after = read("forms/intake.yaml");
    expect(after.slice(after.indexOf("  blocks:"))).toBe(`  blocks:
    - id: sec
      type: section
      source: system
      ref: { componentKey: section }
      regionKey: main
      config:
        label: Pay
      children:
        # The rate.
        - type: field
          source: dynamic_field
          ref: &rate { fieldKey: day_rate }   # the old key
          regionKey: main
          grid: { colSpan: 6 }
        # The name comes first.
        - { type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main, config: { label: '\${LABEL:-Name}' }, supportedModes: [ EDIT ] } # name
`);
  });

  it("changes members of forms, and keeps the former name for the apply", async () => {
    const { plan, read } = project({ "forms/intake.yaml": FORM });
    const codemod = plan({
      form: (form) => ({ ...form, name: "Candidate intake", isPublic: true, types: ["CREATE"] }),
    });
    await writeCodemod(codemod.files, process.cwd());
    expect(changed(FORM, read("forms/intake.yaml"))).toEqual([
      '-name: "Intake"   # shown to recruiters',
      "-types: [CREATE, EDIT]",
      '+name: "Candidate intake"   # shown to recruiters',
      "+renamedFrom: Intake",
      "+types: [CREATE]",
      "+isPublic: true",
    ]);
  });

  it("adds the confirmations of field changes that the migration has", async () => {
    const { plan, read } = project({ "forms/intake.yaml": FORM });
    const staged = {
      draftId: "sf_rate",
      action: "delete" as const,
      existingFieldDefinitionId: "fld_1",
      confirmDestructiveChange: true,
    };
    const codemod = plan({
      confirmFieldChanges: ["sf_rate", "sf_other"],
      layout: (content) => ({ ...content, stagedFieldDefinitions: [staged] }),
    });
    await writeCodemod(codemod.files, process.cwd());
    expect(changed(FORM, read("forms/intake.yaml"))).toContain("+confirmFieldChanges: [ sf_rate ]");
  });

  it("names comments that are lost", () => {
    const { plan } = project({ "forms/intake.yaml": FORM });
    const codemod = plan({ layout: (content) => ({ ...content, blocks: content.blocks.slice(0, 1) }) });
    expect(codemod.files[0]!.lostComments).toEqual([{ line: 18, text: "# the old key" }]);
  });

  it("keeps a byte order mark, CRLF line ends and JSON", async () => {
    const json = JSON.stringify({ kind: "Form", object: "a/b", name: "J", types: ["VIEW"] }, null, 2);
    const { plan, read } = project({
      "forms/intake.yaml": `\uFEFF${FORM.replaceAll("\n", "\r\n")}`,
      "forms/j.json": json,
    });
    await writeCodemod(plan({ form: (form) => ({ ...form, isActive: false }) }).files, process.cwd());
    expect(read("forms/intake.yaml")).toBe(
      `\uFEFF${FORM.replaceAll("\n", "\r\n").replace("\r\nlayout:", "\r\nisActive: false\r\nlayout:")}`,
    );
    expect(JSON.parse(read("forms/j.json"))).toMatchObject({ name: "J", isActive: false });
  });
});

describe("a transform that can't be made in the files", () => {
  it("is refused at each line, and changes nothing", () => {
    const { root, plan, read } = project({
      "forms/intake.yaml": FORM,
      "forms/other.yaml": FORM.replace('"Intake"', "Other"),
    });
    const { code, problems } = problemsOf(() =>
      plan({ form: (form, { name }) => ({ ...form, isActive: true, config: { title: `${name} title` } }) }),
    );
    expect(code).toBe("MIGRATION_CONFLICT");
    expect(problems).toEqual([
      "forms/intake.yaml:7:10 config.title contains ${TITLE:-Hello}, and the migration changes its value. Change it by hand",
      "forms/other.yaml:7:10 config.title contains ${TITLE:-Hello}, and the migration changes its value. Change it by hand",
    ]);
    expect(readdirSync(root)).toEqual(["forms"]);
    expect(read("forms/intake.yaml")).toBe(FORM);
  });

  it("is refused at the item of a list, also if the item has no id", () => {
    const { plan } = project({ "forms/intake.yaml": FORM.replace("label: Main", "label: '${MAIN:-Main}'") });
    const { problems } = problemsOf(() =>
      plan({
        layout: (content) => ({ ...content, regions: content.regions.map((each) => ({ ...each, label: "Other" })) }),
      }),
    );
    expect(problems).toEqual([
      "forms/intake.yaml:11:27 layout.regions[0].label contains ${MAIN:-Main}, and the migration changes its value. Change it by hand",
    ]);
  });

  it("is refused for a layout file that two manifests share, if they differ", () => {
    const manifest = (name: string) =>
      `kind: Form\nobject: a/b\nname: ${name}\ntypes: [VIEW]\nlayout: ./shared.layout.yaml\n`;
    const { plan } = project({
      "forms/a.yaml": manifest("A"),
      "forms/b.yaml": manifest("B"),
      "forms/shared.layout.yaml": "schemaVersion: 1\nregions: []\nblocks: []\n",
    });
    const { problems } = problemsOf(() =>
      plan({ layout: (content, { name }) => ({ ...content, metadata: { name } }) }),
    );
    expect(problems).toEqual([expect.stringMatching(/^forms\/shared.layout.yaml:1:1 several manifests share/)]);
    expect(plan({ layout: (content) => ({ ...content, metadata: { owner: "ops" } }) }).files).toHaveLength(1);
  });

  it("is refused if it copies or names a block that has no id in the file", () => {
    const { plan } = project({ "forms/intake.yaml": FORM });
    const copied = problemsOf(() =>
      plan({
        layout: (content) => ({
          ...content,
          blocks: [...content.blocks, { ...content.blocks[0]!, ref: { fieldKey: "city" } }],
        }),
      }),
    );
    expect(copied.problems).toEqual([expect.stringMatching(/^forms\/intake.yaml:14:7 layout.blocks\[0\] has no id/)]);
    const named = problemsOf(() =>
      plan({
        layout: (content) => ({
          ...content,
          scriptBindings: [{ scriptId: "s", hook: "fieldReadonly", target: { blockId: content.blocks[1]!.id! } }],
        }),
      }),
    );
    expect(named.problems).toEqual([expect.stringMatching(/^forms\/intake.yaml:16:7 layout.blocks\[1\] has no id/)]);
  });

  it("is refused if its result is invalid, or has a problem that the layout did not have", () => {
    const { plan } = project({ "forms/intake.yaml": FORM });
    expect(problemsOf(() => plan({ layout: (content) => ({ ...content, blocks: [{ id: "x" } as Block] }) })).code).toBe(
      "MIGRATION_INVALID",
    );
    const unknownRegion: Transform = {
      layout(content) {
        content.blocks[0]!.regionKey = "nowhere";
        return content;
      },
    };
    expect(() => plan(unknownRegion)).toThrow(/unknown region|nowhere/);
    expect(() => plan({ form: (form) => ({ ...form, colour: "red" }) })).toThrow(/colour/);
  });

  it("is refused if a manifest can't be read, or there is none", () => {
    const { plan } = project({
      "forms/intake.yaml": FORM,
      "forms/bad.yaml": "kind: Form\nname: 1\n",
      "none/a.txt": "",
    });
    const { code, problems } = problemsOf(() => plan({ form: (form) => form }));
    expect(code).toBe("MANIFESTS_INVALID");
    expect(problems[0]).toMatch(/^forms\/bad.yaml:/);
    expect(plan({ form: (form) => form }, { paths: ["forms/intake.yaml"] }).manifests).toBe(1);
    expect(problemsOf(() => plan({ form: (form) => form }, { paths: ["none"] })).problems).toEqual([
      "none:1:1 contains no manifests; nothing was changed",
    ]);
  });

  it("does not follow links out of the project", () => {
    const outside = project({ "intake.yaml": FORM });
    const { root, plan } = project({ "forms/intake.yaml": FORM });
    symlinkSync(join(outside.root, "intake.yaml"), join(root, "forms/link.yaml"));
    const { problems } = problemsOf(() => plan(renameField("day_rate", "pay_rate")));
    expect(problems).toEqual([expect.stringMatching(/^forms\/link.yaml:1:1 the link points outside the project/)]);
  });
});

describe("writing", () => {
  it("is refused if a file was changed since it was read, before any file is written", async () => {
    const { root, plan, read } = project({ "forms/a.yaml": FORM, "forms/b.yaml": FORM.replace('"Intake"', "B") });
    const { files } = plan(renameField("day_rate", "pay_rate"));
    writeFileSync(join(root, "forms/b.yaml"), "# changed\n");
    await expect(writeCodemod(files, process.cwd())).rejects.toMatchObject({ code: "FILE_UNFIT" });
    expect(read("forms/a.yaml")).toBe(FORM);
  });

  it("gives the files before a failed one their old texts again", async () => {
    const { root, plan, read } = project({ "forms/a.yaml": FORM, "forms/b.yaml": FORM.replace('"Intake"', "B") });
    const { files } = plan(renameField("day_rate", "pay_rate"));
    const [a, b] = files;
    const vanishing = {
      ...b!,
      get after(): string {
        throw new Error("the disk is full");
      },
    };
    await expect(writeCodemod([a!, vanishing], process.cwd())).rejects.toThrow("the disk is full");
    expect(read("forms/a.yaml")).toBe(FORM);
    expect(readdirSync(join(root, "forms"))).toEqual(["a.yaml", "b.yaml"]);
  });
});
