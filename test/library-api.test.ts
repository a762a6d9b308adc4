/** The type declarations of the library: what they export, and what a program needs to read them. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as library from "../src/index.ts";
import { buildProgram } from "./built-program.ts";
import { importsOf } from "./imports.ts";
import { run } from "./packed-package.ts";
import { type Declaration, readDeclarations, reportOf } from "./reference/library-api.ts";
import { temporaryFolders } from "./temporary.ts";
import manifest from "../package.json" with { type: "json" };
import types from "../tsconfig.types.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "dist/types/index.d.ts");
/** The names of the entries. Each is also the name of a source, and of files in `dist/`. */
const ENTRIES = types.include.map((source) => basename(source, ".ts"));
const newFolder = temporaryFolders();

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  module: "nodenext",
  target: "es2022",
  noEmit: true,
};

beforeAll(buildProgram);

const sources = globSync("src/**/*.ts", { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), "utf8"))
  .join();

const fileOf = (entry: string) => join(ROOT, "dist/types", `${entry}.d.ts`);

/** Returns the declarations of an entry. Those that it shares with `index` are only in `index`. */
function declarationsOf(entry: string): Declaration[] {
  const all = [...readDeclarations(fileOf(entry)).values()];
  if (entry === "index") return all;
  const shared = new Set(readDeclarations(FILE).keys());
  return all.filter(({ name, isExported }) => isExported || !shared.has(name));
}

it("matches the report: npm run reference updates it", async () => {
  const entries = ENTRIES.map((entry) =>
    reportOf(entry === "index" ? "formctl" : `formctl/${entry}`, declarationsOf(entry)),
  );
  const report = [
    "# The signatures of the library\n",
    "`npm run reference` generates this page from the type declarations. The declarations of the package, and editors, also show",
    "the documentation. [The guide](library.md) has examples.\n",
    ...entries,
  ].join("\n");
  await expect(report).toMatchFileSnapshot(join(ROOT, "docs/library-api.md"));
});

it("is one file without imports for each entry", () => {
  for (const name of ENTRIES) expect(importsOf(fileOf(name))).toEqual([]);
  const entries = Object.values(manifest.exports).flatMap((one) => (typeof one === "string" ? [] : one.types));
  expect(entries).toEqual(ENTRIES.map((name) => `./dist/types/${name}.d.ts`));
});

describe("the exports", () => {
  it("are all types that a signature names. Only lists of words have no export", () => {
    const declarations = ENTRIES.flatMap(declarationsOf);
    expect(declarations.length).toBeGreaterThan(300);
    const hidden = declarations.filter(({ isExported }) => !isExported);
    expect(hidden.map(({ name }) => name).toSorted()).toEqual([
      "AVAILABILITY_STATES",
      "BLOCK_SOURCES",
      "BLOCK_TYPES",
      "DRAFT_HANDLINGS",
      "EXIT_CODES",
      "EXIT_CODE_OF",
      "FIELD_TYPES",
      "PAGE_COUNTS",
      "PHASES",
      "REGION_LAYOUTS",
      "REQUIRED_POLICIES",
      "SORT_FIELDS",
      "STAGED_ACTIONS",
      "STATES",
      "SURFACES",
      "VERSION_STATUSES",
    ]);
    // Each list is the source of one type.
    for (const { name } of hidden)
      expect(declarations.filter(({ name: other, uses }) => other !== name && uses.has(name))).toHaveLength(1);
  });

  it("are no types that no signature names", () => {
    const declarations = ENTRIES.flatMap(declarationsOf);
    const exported = declarations.filter(({ isExported, isValue }) => isExported && !isValue);
    const isNamed = (type: string) => declarations.some(({ name, uses }) => name !== type && uses.has(type));
    expect(exported.map(({ name }) => name).filter((name) => !isNamed(name))).toEqual([]);
  });

  it("are nothing of the engine, the lock and the record of migrations: their members are marked as internal", () => {
    const names = ENTRIES.flatMap((entry) => declarationsOf(entry).map(({ name }) => name));
    const internal = [
      "Caller",
      "RequestContext",
      "StoredMigrations",
      "CopyPart",
      "StepRequest",
      "ReadState",
      "Subject",
    ];
    expect(names.filter((name) => [...internal, "ContentState", "MigrationRecord", "Replaced"].includes(name))).toEqual(
      [],
    );
    // The control: the sources have these names.
    for (const name of internal) expect(sources).toMatch(new RegExp(`export (type|interface) ${name}\\b`));
  });

  it("have no name that the bundler changed", () => {
    expect([...readDeclarations(FILE).keys()].filter((name) => name.includes("$"))).toEqual([]);
  });

  it("have the values of the declarations, and no others", () => {
    const values = [...readDeclarations(FILE).values()].filter(({ isExported, isValue }) => isExported && isValue);
    expect(Object.keys(library).toSorted()).toEqual(values.map(({ name }) => name).toSorted());
  });

  it("are functions, classes and lists of words. No schema and no table of the API is exported", () => {
    const others = Object.entries(library).filter(([, value]) => typeof value !== "function");
    expect(others.map(([name]) => name).toSorted()).toEqual(["MODES", "PERMISSIONS"]);
  });
});

describe.each([
  ["the newest", "node_modules/typescript/bin/tsc"],
  ["the oldest supported", "test/oldest-typescript/node_modules/typescript/bin/tsc"],
])("the declarations, in %s TypeScript,", (_, compiler) => {
  /** Type-checks all declarations, and a program. @throws Error with the output of tsc */
  function check(options: object): string {
    const folder = newFolder();
    const program = `
      import { createClient, type LayoutAnswer, type Service } from ${JSON.stringify(FILE.replace(/\.d\.ts$/, ".js"))};
      export async function copy(from: Service, layout: LayoutAnswer, layoutId: string): Promise<string> {
        const { blocks = [], regions = [] } = await from.getVersion({ layoutId: layout.id, versionId: "ver_1" });
        const to = createClient({ baseUrl: "https://forms.example.com", token: "secret" });
        const body = { clientMutationId: "1", schemaVersion: 1, blocks, regions };
        const { draftVersionId } = await to.saveDraft({ layoutId, body });
        // @ts-expect-error there is no such mode
        await to.updateLayout({ layoutId, body: { supportedModes: ["READ"] } });
        return draftVersionId;
      }`;
    writeFileSync(join(folder, "program.mts"), program);
    const compilerOptions = { ...OPTIONS, ...options };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.mts"] }));
    return run(process.execPath, [join(ROOT, compiler), "-p", "."], folder);
  }

  it("need no package: AbortSignal is of the library dom, AsyncDisposable of esnext.disposable", () => {
    expect(check({ lib: ["es2022", "esnext.disposable", "dom"], types: [] })).toBe("");
  });

  it("need nothing else of these libraries, or of @types/node", () => {
    const lib = ["es2022", "esnext.disposable"];
    expect(() => check({ lib, types: [] })).toThrow("Cannot find name 'AbortSignal'");
    const typeRoots = [join(ROOT, "node_modules/@types")];
    expect(check({ lib: ["es2022"], types: ["node"], typeRoots })).toBe("");
  });
});
