/** A migration runs on the target and changes the files. Then a plan of the files must be empty. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDemo } from "../commands/demo-cli.ts";

/** Migrations by description: the definition, and a text that a changed file must have. */
const MIGRATIONS: Record<string, [definition: string, text: string]> = {
  "renames a field in all layouts": [
    'match: { objects: ["staffing/candidate"], showsField: "day_rate" }, layout: (content) => renameField(content, "day_rate", "home_city")',
    "fieldKey: home_city",
  ],
  "adds a section, and moves blocks into it": [
    'match: { forms: ["Candidate profile"] }, layout: (content) => moveBlocks(addSection(content, { id: "sec_pay", label: "Pay", region: "details", blocks: [] }), { region: "side" }, { into: "sec_pay" })',
    "sec_pay",
  ],
  "replaces a block by two": [
    'match: { forms: ["Candidate profile"] }, layout: (content) => replaceBlocks(content, { id: "f_notes" }, (block) => [{ ...block, config: { label: "Remarks" } }, { id: "f_added", type: "field", source: "dynamic_field", ref: { fieldKey: "home_city" } }])',
    "label: Remarks",
  ],
  "changes all labels, with blocks in their order": [
    'match: { objects: ["staffing/candidate", "compliance/document_check"] }, layout(content) { walkBlocks(content, (block) => { if (block.config?.label) block.config.label += "!"; }); return content; }',
    "!",
  ],
  "reverses the blocks of a list": [
    'match: { forms: ["Candidate profile"] }, layout: (content) => ({ ...content, blocks: content.blocks.toReversed().map((block, displayOrder) => ({ ...block, displayOrder })) })',
    "displayOrder",
  ],
  "renames a form and changes its members": [
    'match: { forms: ["Candidate profile"] }, form: (form) => ({ ...form, name: "Profile of a candidate", config: { title: "Profile" }, access: { users: [], roles: form.access.roles } })',
    "renamedFrom: Candidate profile",
  ],
};

describe("a migration that runs on the target and changes the files", () => {
  it.each(Object.entries(MIGRATIONS))("%s", async (_what, [definition, text]) => {
    const cli = await openDemo();
    const names = "addSection, defineMigration, moveBlocks, renameField, replaceBlocks, walkBlocks";
    mkdirSync(join(cli.cwd, "migrations"));
    cli.file(
      "migrations/20260301-1000-change.mjs",
      `import { ${names} } from "formctl";\nexport default defineMigration({ ${definition} });\n`,
    );
    await cli.run("export", "staffing/candidate", "compliance/document_check", "--into", "forms");
    const files = () =>
      readdirSync(join(cli.cwd, "forms"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".yaml"))
        .map((name) => join(cli.cwd, "forms", name));
    // Adds a comment above every block.
    for (const file of files()) {
      const commented = readFileSync(file, "utf8").replaceAll(/^( *)- id: (\w+)/gm, "$1# about $2\n$1- id: $2");
      writeFileSync(file, commented);
    }
    const comments = () => files().flatMap((file) => readFileSync(file, "utf8").match(/# about \w+/g) ?? []);
    const before = { comments: comments().toSorted(), problems: await problems() };
    expect(before.comments.length).toBeGreaterThan(10);

    const run = await cli.run("migrate", "run", "--yes");
    expect({ code: run.code, stderr: run.code === 0 ? "" : run.stderr }).toEqual({ code: 0, stderr: "" });
    const outdated = await cli.run("plan", "forms", "--detailed-exitcode", "--no-rehearse");
    expect(outdated.code).toBe(2);
    const codemod = await cli.run("codemod", "change", "forms", "--yes");
    expect({ code: codemod.code, stderr: codemod.stderr.replace(/^Next:.*\n/m, "") }).toEqual({ code: 0, stderr: "" });

    const plan = await cli.run("plan", "forms", "--detailed-exitcode", "--no-rehearse");
    expect({ code: plan.code, stdout: plan.code === 0 ? "" : plan.stdout }).toEqual({ code: 0, stdout: "" });
    expect(files().some((file) => readFileSync(file, "utf8").includes(text))).toBe(true);
    expect(comments().toSorted()).toEqual(before.comments);
    expect(await problems()).toEqual(before.problems);

    async function problems(): Promise<string[]> {
      const { json } = await cli.run("validate", "forms", "-o", "json");
      return (json() as { problems: { severity: string; message: string }[] }).problems
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message);
    }
  });
});
