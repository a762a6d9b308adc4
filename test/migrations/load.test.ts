/** Loads migrations that are modules. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import { FormctlError } from "../../src/base/error.ts";
import { describeFailure } from "../../src/composition/exit.ts";
import * as library from "../../src/index.ts";
import { isScript, type Script, type Transform } from "../../src/migrations/definition.ts";
import { loadMigration } from "../../src/migrations/load.ts";
import type { LoadedMigration } from "../../src/migrations/loaded.ts";
import { ServiceError } from "../../src/service.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

/** Loads a module with this text. `printed` receives its output. */
function load(text: string, { extension = ".ts", printed = [] as string[] } = {}): Promise<LoadedMigration> {
  const path = join(newFolder(), `20261122-1000-change${extension}`);
  writeFileSync(path, text);
  return loadMigration({
    path,
    file: `migrations/change${extension}`,
    library: async () => library,
    print: (line) => printed.push(line),
  });
}

/** Returns the failure that a command would report for a refused module. */
async function failureOf(work: () => Promise<unknown>) {
  const error = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LocatedError);
  const { code, message, exitCode, location, hint } = describeFailure(error);
  return { code, message, exitCode, at: location && `${location.line}:${location.column}`, hint };
}

it("loads a transform and a script in TypeScript, and a module in JavaScript", async () => {
  const transform = await load(`import { defineMigration } from "formctl";
export default defineMigration({ match: { surfaces: ["USER"] }, layout(content, { name }: { name: string }) { return content; } });`);
  expect(isScript(transform.migration)).toBe(false);
  const script = await load(`export default { async run() {} };`, { extension: ".mjs" });
  expect(isScript(script.migration)).toBe(true);
  const plain = await load(
    `import { defineMigration } from "formctl";\nexport default defineMigration({ form: (form) => form });`,
    {
      extension: ".js",
    },
  );
  expect(Object.keys(plain.migration)).toEqual(["form"]);
});

it("imports the library of this program, so that its classes are the same", async () => {
  const { migration } = await load(`import { FormctlError, ServiceError } from "formctl";
export default { async run() { throw Object.assign(new Error("found"), { FormctlError, ServiceError }); } };`);
  const found: unknown = await (migration as Script).run({} as never, {} as never).catch((error: unknown) => error);
  expect(found).toMatchObject({ FormctlError, ServiceError });
});

it("imports a file again if it has changed", async () => {
  const path = join(newFolder(), "change.ts");
  const options = { path, file: "change.ts", library: async () => library };
  writeFileSync(path, "export default { form: () => undefined };");
  expect(Object.keys((await loadMigration(options)).migration)).toEqual(["form"]);
  writeFileSync(path, "export default { layout: () => undefined };");
  expect(Object.keys((await loadMigration(options)).migration)).toEqual(["layout"]);
});

it.each([
  [
    "export const migration = {};",
    "1:1",
    "the migration has no default export. Write: export default defineMigration({ … })",
  ],
  ["\nexport default Promise.resolve({});", "2:1", "the default export is a promise. Await it: export default await …"],
  [
    "export default () => {};",
    "1:1",
    "the default export must be a migration, not a function. Write: export default defineMigration({ … })",
  ],
  ["export default {};", "1:1", "the migration does nothing. Add layout or form (a transform), or run (a script)"],
  ["export default {\n  layuot: () => undefined,\n};", "2:3", 'unknown member "layuot". Did you mean "layout"?'],
  [
    "export default {\n  form() {},\n  async layout() {},\n};",
    "3:9",
    "layout must return its result directly. Remove async or *",
  ],
  ["export default { down() {} };", "1:18", "a script requires the function run"],
  [
    "export default { layout() {}, run() {} };",
    "1:31",
    "a migration is a transform or a script, and this one has layout and run. Write two migrations",
  ],
  ["export default { run: 1 };", "1:18", "run must be a function, not a number"],
  [
    'export default {\n  match: { surfaces: ["PAGE"] }, form: () => undefined };',
    "2:12",
    "match.surfaces[0] must be one of DYNAMIC_OBJECT, CONTRACTOR, ORGANIZATION, SALES_INVOICE, COST_INVOICE, DASHBOARD, USER",
  ],
  ["export default {\n  match: { object: [] }, form: () => undefined };", "2:12", "match.object is not a known member"],
])("refuses %j", async (text, at, message) => {
  const failure = await failureOf(() => load(text));
  expect(failure).toMatchObject({ code: "MIGRATION_INVALID", exitCode: 3, at });
  expect(failure.message).toContain(`migrations/change.ts:${at}: ${message}`);
});

it.each([
  ["export default {\n  layout( { return 1; }\n};", "2:20", "Expected ',', got 'numeric literal'"],
  ["enum Kind { A }\nexport default {};", "1:1", "TypeScript enum is not supported in strip-only mode"],
  [
    'import { renameFeild } from "formctl";\nexport default {};',
    "1:10",
    "does not provide an export named 'renameFeild'",
  ],
  ['import { x } from "no-such-package";\nexport default {};', "1:20", "Cannot find package 'no-such-package'"],
])("locates the syntax error in %j", async (text, at, message) => {
  const failure = await failureOf(() => load(text));
  expect(failure).toMatchObject({ code: "MIGRATION_INVALID", exitCode: 3, at });
  expect(failure.message).toContain(message);
});

it("reports a file that can't be read", async () => {
  const missing = loadMigration({ path: "/missing/a.ts", file: "migrations/a.ts", library: async () => library });
  await expect(missing).rejects.toThrow("migrations/a.ts can't be read: the file or its folder does not exist");
});

it("locates an error that the module throws when it is loaded", async () => {
  const failure = await failureOf(() => load("const map = new Map();\nmap.get('a').length;\nexport default {};"));
  expect(failure).toMatchObject({ code: "MIGRATION_FAILED", exitCode: 1, at: "2:13" });
  expect(failure.message).toContain("TypeError: Cannot read properties of undefined");
});

it("locates an error that a function throws, at the line of the migration", async () => {
  const loaded = await load(`export default {
  layout(content) {
    return content.blocks.map((block) => block.ref.fieldKey);
  },
};`);
  const { migration, call } = loaded;
  const content = { blocks: [{}] } as never;
  const failure = await failureOf(async () =>
    call("layout", () => (migration as Transform).layout!(content, {} as never)),
  );
  expect(failure).toMatchObject({ code: "MIGRATION_FAILED", exitCode: 1, at: "3:52" });
});

it("keeps the exit code of an error of formctl or the service", async () => {
  const { call } = await load("export default {\n  async run() {},\n};");
  const notFound = new ServiceError(404, { code: "NOT_FOUND", message: "the form does not exist" });
  expect(await failureOf(() => call("run", () => Promise.reject(notFound)))).toMatchObject({
    code: "MIGRATION_FAILED",
    exitCode: 5,
    at: "2:9",
    message: "migrations/change.ts:2:9: the form does not exist",
  });
  const unknown = new FormctlError("OUTCOME_UNKNOWN", "the outcome is unknown", "Look.");
  expect(await failureOf(() => call("run", () => Promise.reject(unknown)))).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    exitCode: 7,
    hint: "Look.",
  });
});

it("passes an error about the run unchanged", async () => {
  const { call } = await load("export default { async run() {} };");
  const lost = new FormctlError("MIGRATIONS_CHANGED", "another process has written the record");
  await expect(call("run", () => Promise.reject(lost))).rejects.toBe(lost);
});

it("keeps the output of a migration away from stdout, also from timers", async () => {
  const printed: string[] = [];
  const text = `console.log("loaded");
export default {
  async run() {
    console.table([{ a: 1 }]);
    process.stdout.write("raw");
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log("after %d ms", 1);
  },
};`;
  const { migration, call } = await load(text, { printed });
  await call("run", () => (migration as Script).run({} as never, {} as never));
  expect(printed[0]).toBe("loaded\n");
  expect(printed.slice(1, -2).join("")).toContain("(index)");
  expect(printed.slice(-2)).toEqual(["raw", "after 1 ms\n"]);
});

it("does not let a migration end the process", async () => {
  const text = "export default {\n  layout() {\n    process.exit(0);\n  },\n  form() {},\n};";
  const { migration, call } = await load(text);
  const failure = await failureOf(async () =>
    call("layout", () => (migration as Transform).layout!({} as never, {} as never)),
  );
  expect(failure).toMatchObject({ code: "MIGRATION_FAILED", exitCode: 1, at: "3:13" });
  expect((await failureOf(() => load("process.exit(0);"))).message).toContain("the migration calls process.exit");
});

it("refuses a result at the function that returned it", async () => {
  const { refuse } = await load("export default {\n  form: () => 1,\n};");
  expect(refuse("form", "the result must be an object").message).toBe(
    "migrations/change.ts:2:3: the result must be an object",
  );
});
