/** The files that `formctl migrate new` writes. They must type-check in a user's project, and load. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TEMPLATES, templateText } from "../../src/commands/migrate/templates.ts";
import { isScript } from "../../src/migrations/definition.ts";
import { loadMigration } from "../../src/migrations/load.ts";
import { temporaryFolders } from "../temporary.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const newFolder = temporaryFolders();

let folder: string;
beforeAll(() => {
  folder = newFolder();
  mkdirSync(join(folder, "migrations"));
  for (const template of TEMPLATES) {
    writeFileSync(pathOf(template, "ts"), templateText(template, "code"));
    writeFileSync(pathOf(template, "yaml"), templateText(template, "yaml"));
  }
});

const pathOf = (template: string, extension: string) => join(folder, "migrations", `1-${template}.${extension}`);

/** Checks the types of the files in the folder. Returns the messages of the compiler. */
function typeErrors(): string {
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024", "esnext.iterator", "esnext.array"],
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules", "@types")],
    paths: { formctl: [join(ROOT, "src", "index.ts")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["migrations"] }));
  try {
    execFileSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", folder], { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

it("type-check, and a migration with a wrong member does not (control)", () => {
  writeFileSync(pathOf("wrong", "ts"), templateText("bulk-edit", "code").replace("objects:", "object:"));
  const errors = typeErrors().trimEnd().split("\n");
  expect(errors).toEqual([expect.stringMatching(/1-wrong\.ts.*'object' does not exist/)]);
});

describe.each(TEMPLATES)("the template %s", (template) => {
  it.each(["ts", "yaml"])("can be loaded as .%s", async (extension) => {
    const library = () => import("../../src/index.ts");
    const file = `migrations/1-${template}.${extension}`;
    const { migration } = await loadMigration({ path: pathOf(template, extension), file, library });
    expect(isScript(migration)).toBe(template === "script");
  });
});
