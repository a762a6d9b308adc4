/** `formctl codemod`: which migration it applies, what it prints, and its exit codes. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Cli, openCli } from "../commands/cli.ts";

const FORM = `kind: Form
object: staffing/candidate
name: Intake
types: [CREATE]
isPublic: false # not yet
layout:
  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: grid, columns: 12 }]
  blocks:
    - { type: field, source: dynamic_field, ref: { fieldKey: day_rate }, regionKey: main }
`;

const RENAME = `import { defineMigration } from "formctl";

export default defineMigration({
  match: { showsField: "day_rate" },
  layout(content) {
    for (const { ref } of content.blocks) if (ref?.fieldKey === "day_rate") ref.fieldKey = "pay_rate";
    return content;
  },
});
`;

async function scene(): Promise<Cli & { text: () => string }> {
  const cli = await openCli();
  for (const folder of ["migrations", "forms"]) mkdirSync(join(cli.cwd, folder));
  cli.file("formctl.yaml", "manifests: forms\n");
  cli.file("forms/intake.yaml", FORM);
  cli.file("migrations/20260301-1000-replace-pay-rate.ts", RENAME);
  cli.file("migrations/20260302-1000-create-forms.ts", `export default { run: async () => undefined };\n`);
  return { ...cli, text: () => readFileSync(join(cli.cwd, "forms/intake.yaml"), "utf8") };
}

it("changes the files of the migration that has this part in its name, and asks first", async () => {
  const cli = await scene();
  const refused = await cli.run("codemod", "replace-pay-rate", "forms");
  expect(refused.code).toBe(8);
  expect(cli.text()).toBe(FORM);

  const asked = await cli.answering([false], "codemod", "pay-rate");
  expect(asked.asked).toEqual(["Change 1 file?"]);
  expect(cli.text()).toBe(FORM);

  const done = await cli.run("codemod", "replace-pay-rate", "forms", "--yes");
  expect(done.stdout).toBe("changed       forms/intake.yaml (1 line)\n");
  expect(done.stderr).toContain("Next: formctl validate forms");
  expect(done.code).toBe(0);
  expect(cli.text()).toBe(FORM.replace("day_rate", "pay_rate"));

  const again = await cli.run("codemod", "replace-pay-rate", "forms", "--yes");
  expect(again.stdout).toBe("Nothing to change. The migration matches 0 of 1 manifest.\n");
});

it("shows the changes of values with --dry-run, and exits with 2 with --check", async () => {
  const cli = await scene();
  const dry = await cli.run("codemod", "replace-pay-rate", "forms", "--dry-run");
  expect(dry.code).toBe(0);
  expect(dry.stdout).toBe(
    'would change  forms/intake.yaml (1 line)\n    ~ layout.blocks[0].ref.fieldKey: "day_rate" → "pay_rate"\n',
  );
  const check = await cli.run("codemod", "replace-pay-rate", "forms", "--check", "-o", "json");
  expect(check.code).toBe(2);
  expect(check.json()).toMatchObject({
    exitCode: 2,
    migration: "20260301-1000-replace-pay-rate",
    outcome: "would change",
    manifests: 1,
    matched: 1,
    files: [
      { path: "forms/intake.yaml", lines: 1, addresses: ["staffing/candidate/Intake"], changes: [{ kind: "changed" }] },
    ],
  });
  expect(cli.text()).toBe(FORM);
  await cli.run("codemod", "replace-pay-rate", "forms", "--yes");
  expect((await cli.run("codemod", "replace-pay-rate", "forms", "--check")).code).toBe(0);
});

it("refuses scripts, unknown and ambiguous names, and standard input", async () => {
  const cli = await scene();
  const refusal = async (...argv: string[]) => {
    const { code, error } = await cli.run("codemod", ...argv, "-o", "json");
    return [code, error().code, error().message];
  };
  expect(await refusal("create-forms", "forms")).toEqual([
    3,
    "INVALID_VALUE",
    "20260302-1000-create-forms is a script, and only a transform can change files",
  ]);
  expect(await refusal("replace-pay-rates", "forms")).toEqual([5, "NOT_FOUND", expect.anything()]);
  expect(await refusal("2026030", "forms")).toEqual([6, "AMBIGUOUS_NAME", expect.anything()]);
  expect(await refusal("pay-rate", "-")).toEqual([64, "USAGE", expect.anything()]);
  expect(await refusal("pay-rate", "missing")).toEqual([3, "MANIFESTS_INVALID", expect.anything()]);
});

it("reports changes that a file can't have at their lines, and an error at the line of the migration", async () => {
  const cli = await scene();
  cli.file("forms/intake.yaml", FORM.replace("fieldKey: day_rate", "fieldKey: '${KEY:-day_rate}'"));
  const conflict = await cli.run("codemod", "pay-rate", "forms", "--yes");
  expect(conflict.code).toBe(6);
  expect(conflict.stderr).toContain("forms/intake.yaml:10:");
  expect(conflict.stderr).toContain("${KEY:-day_rate}");
  expect(conflict.stderr).toContain("Nothing was changed.");

  cli.file(
    "migrations/20260303-1000-broken.ts",
    "export default {\n  layout() {\n    throw new Error('no');\n  },\n};\n",
  );
  const broken = await cli.run("codemod", "broken", "forms", "--yes");
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain("migrations/20260303-1000-broken.ts:3:");
});

it("does not need its target", async () => {
  const cli = await scene();
  cli.env["FORMCTL_BASE_URL"] = "https://unreachable.invalid";
  expect((await cli.run("codemod", "pay-rate", "forms", "--yes")).code).toBe(0);
});
