/**
 * Checks the layers of docs/architecture.md: imports point down, and `HOME` limits where a third-party library is
 * imported.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { violations } from "./dependency-rules.ts";

const ROOT = join(import.meta.dirname, "..", "src");

/** The folder of modules that know nothing about the API. Every folder may import it. */
const BASE = "base";

/** The folders from which a folder may import, apart from itself. A file directly in `src/` counts as a folder. */
const MAY_IMPORT: Record<string, readonly string[] | "any"> = {
  [BASE]: [],
  schemas: [],
  disk: ["schemas"],
  "service.ts": ["schemas"],
  "mutation-ids.ts": ["schemas"],
  "local-service.ts": ["schemas", "service.ts"],
  documents: ["schemas"],
  contents: ["schemas"],
  lists: ["schemas", "service.ts"],
  "layout-edits": ["schemas", "service.ts", "mutation-ids.ts", "contents", "disk", "lists"],
  manifests: ["schemas", "lists", "documents", "contents", "disk"],
  state: ["schemas", "service.ts", "local-service.ts", "lists", "documents", "contents", "disk", "manifests"],
  plan: ["schemas", "lists", "contents", "disk", "manifests", "state"],
  apply: [
    "schemas",
    "service.ts",
    "mutation-ids.ts",
    "lists",
    "documents",
    "contents",
    "disk",
    "manifests",
    "state",
    "plan",
  ],
  export: ["schemas", "service.ts", "lists", "documents", "contents", "disk", "manifests", "state", "plan"],
  rehearsal: ["schemas", "service.ts", "local-service.ts", "lists", "contents", "manifests", "state", "plan", "apply"],
  project: [
    "schemas",
    "service.ts",
    "lists",
    "documents",
    "contents",
    "disk",
    "manifests",
    "state",
    "plan",
    "apply",
    "export",
    "rehearsal",
  ],
  migrations: [
    "schemas",
    "service.ts",
    "local-service.ts",
    "mutation-ids.ts",
    "lists",
    "documents",
    "contents",
    "disk",
    "manifests",
    "state",
    "plan",
    "export",
    "rehearsal",
    "project",
  ],
  promotion: [
    "schemas",
    "service.ts",
    "lists",
    "documents",
    "contents",
    "manifests",
    "state",
    "plan",
    "export",
    "project",
  ],
  store: ["schemas", "local-service.ts", "disk"],
  engine: ["schemas", "service.ts", "local-service.ts", "store"],
  terminal: ["schemas"],
  preview: ["schemas", "contents", "terminal"],
  config: ["schemas", "documents", "disk"],
  client: ["schemas", "service.ts", "mutation-ids.ts", "lists"],
  server: ["schemas", "service.ts"],
  commands: [
    "schemas",
    "service.ts",
    "local-service.ts",
    "lists",
    "documents",
    "contents",
    "disk",
    "manifests",
    "state",
    "plan",
    "export",
    "rehearsal",
    "project",
    "migrations",
    "promotion",
    "preview",
    "terminal",
    "config",
  ],
  composition: "any",
  testing: "any",
  "index.ts": "any",
  "testing.ts": "any",
  "main.ts": "any",
};

/**
 * The folders of layouts as code, each with its door: the modules that folders outside of layouts as code may import.
 * What the library publishes is in a door too.
 */
const DOORS: Record<string, readonly string[]> = {
  manifests: [
    "manifest.ts",
    "manifest-schema.ts",
    "references.ts",
    "problems.ts",
    "editor-schemas.ts",
    "read/check.ts",
    "read/environment.ts",
    "read/read-manifest.ts",
    "read/read-manifests.ts",
  ],
  state: ["target.ts", "knowledge.ts", "state.ts", "reader.ts", "read.ts"],
  plan: ["plan.ts", "planned.ts", "seal.ts"],
  apply: [],
  export: ["exported.ts", "read-exported.ts", "folder.ts", "editor-files.ts"],
  rehearsal: ["rehearsal.ts", "rehearse.ts", "whole-server.ts", "failures.ts"],
  project: ["project.ts"],
};

/** For each library, the only folders or files that may import it. */
const HOME: Record<string, readonly string[]> = {
  commander: ["commands/program.ts"],
  "@inquirer/prompts": ["terminal/inquirer.ts"],
  chalk: ["terminal/style.ts"],
  chokidar: ["disk/watch-file.ts"],
  // Only the controls of test/config/project-file.test.ts use it.
  cosmiconfig: [],
  diff: ["documents/changed-lines.ts"],
  "js-yaml": ["documents"],
  yaml: ["documents/yaml-source.ts"],
  "sql-template-tag": ["store"],
  "node:sqlite": ["store"],
  pg: ["store/postgres/connection.ts", "store/postgres/errors.ts"],
  "env-paths": ["config"],
  undici: ["client/undici-fetch.ts"],
  hono: ["server/handler.ts"],
  "@hono/node-server": ["server/listen.ts", "server/faults.ts"],
  pino: ["server/request-log.ts"],
  "@napi-rs/keyring": ["config/keychain.ts"],
  "p-map": ["lists", "state", "apply", "export", "rehearsal", "migrations", "promotion"],
  "fastest-levenshtein": ["base/nearest.ts"],
  "@jmespath-community/jmespath": ["commands/output.ts"],
  "zod/mini": ["schemas", "manifests", "state", "plan", "apply", "migrations"],
};

type Import = { file: string; line: number; from: string };

/** Returns every import of every file below `src/`, including dynamic imports. */
function imports(): Import[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((text, index) => {
        const found = /(?:from |import\(|^import )"([^"]+)"/.exec(text);
        return found ? [{ file, line: index + 1, from: found[1]! }] : [];
      }),
  );
}

function roomOf(file: string): string {
  return file.split("/")[0]!;
}

/** Whether an import from outside of layouts as code is of a module that is in no door. */
function isBehindDoor(file: string, path: string): boolean {
  const door = DOORS[roomOf(path)];
  return door !== undefined && !(roomOf(file) in DOORS) && !door.includes(path.slice(roomOf(path).length + 1));
}

/** Returns how an import violates the rules, if it does. */
function complaint({ file, line, from }: Import): string | undefined {
  const place = `src/${file}:${line}`;
  if (!from.startsWith(".")) {
    const library = Object.keys(HOME).find((name) => from === name || from.startsWith(`${name}/`));
    const isHome = library === undefined || HOME[library]!.some((home) => file === home || roomOf(file) === home);
    return isHome ? undefined : `${place} imports ${from}, whose home is ${HOME[library]!.join(", ")}`;
  }
  const path = relative(ROOT, join(ROOT, dirname(file), from));
  const target = roomOf(path);
  const room = roomOf(file);
  const allowed = MAY_IMPORT[room];
  if (allowed === undefined) return `${place} is in a room that docs/architecture.md does not know`;
  if (isBehindDoor(file, path)) return `${place} imports from behind a door: ${from}`;
  if (room === target || allowed === "any" || target === BASE) return undefined;
  return allowed.includes(target) ? undefined : `${place} imports up or sideways: ${from}`;
}

/** Returns import cycles. Imports of types count, because readers follow them too. */
function circles(all: readonly Import[]): string[][] {
  const importsOf = new Map<string, string[]>();
  for (const { file, from } of all) {
    if (!from.startsWith(".")) continue;
    const path = relative(ROOT, join(ROOT, dirname(file), from));
    importsOf.set(file, [...(importsOf.get(file) ?? []), path]);
  }
  const found: string[][] = [];
  const seen = new Set<string>();
  const walk = (file: string, way: readonly string[]) => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file]);
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of importsOf.get(file) ?? []) walk(next, [...way, file]);
  };
  for (const file of importsOf.keys()) walk(file, []);
  return found;
}

describe("the architecture", () => {
  const all = imports();

  it("has only modules in doors that a folder outside imports", () => {
    const paths = all.filter(({ file }) => !(roomOf(file) in DOORS));
    const used = new Set(paths.map(({ file, from }) => relative(ROOT, join(ROOT, dirname(file), from))));
    const listed = Object.entries(DOORS).flatMap(([room, modules]) => modules.map((module) => `${room}/${module}`));
    expect(listed.filter((module) => !used.has(module))).toEqual([]);
  });

  it("has imports to look at", () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it("lets imports point down only, and keeps each library in its home", () => {
    expect(all.map(complaint).filter(Boolean)).toEqual([]);
  });

  it("has no files that import each other in a circle", () => {
    expect(circles(all)).toEqual([]);
  });

  it("complains about a circle", () => {
    const planted = [
      { file: "plan/plan.ts", line: 1, from: "./parts.ts" },
      { file: "plan/parts.ts", line: 1, from: "./fields.ts" },
      { file: "plan/fields.ts", line: 1, from: "./parts.ts" },
    ];
    expect(circles(planted)).toEqual([["plan/parts.ts", "plan/fields.ts", "plan/parts.ts"]]);
  });

  it.each([
    [{ file: "schemas/form.ts", line: 1, from: "../engine/engine.ts" }, "up"],
    [{ file: "terminal/table.ts", line: 1, from: "../config/settings.ts" }, "sideways"],
    [{ file: "commands/forms/list.ts", line: 1, from: "../../engine/engine.ts" }, "past the port"],
    [{ file: "server/handler.ts", line: 1, from: "../engine/engine.ts" }, "past the port"],
    [{ file: "commands/forms/list.ts", line: 1, from: "commander" }, "a library from outside its home"],
    [{ file: "plan/plan.ts", line: 1, from: "../apply/apply.ts" }, "up, within layouts as code"],
    [{ file: "promotion/diff.ts", line: 1, from: "../state/forms.ts" }, "past a door"],
    [{ file: "composition/library.ts", line: 1, from: "../apply/apply.ts" }, "past a door, from the composition"],
    [{ file: "disk/process-lock.ts", line: 1, from: "../state/lock.ts" }, "up from the disk"],
    [{ file: "cellar/wine.ts", line: 1, from: "../schemas/form.ts" }, "from an unknown room"],
  ])("complains about %o (%s)", (planted) => {
    expect(complaint(planted)).toBeDefined();
  });
});

/** Uses of dependencies and of the engine that are allowed in one file. */
const EXCEPTIONS: readonly string[] = [
  // The documented way to read a schema in the option `override` of `toJSONSchema`.
  "src/manifests/editor-schemas.ts uses the member _zod",
  // The test collects garbage to find out what is still held.
  "test/client/http-service.test.ts uses setFlagsFromString",
];

describe("the use of dependencies and of the engine", () => {
  const PROJECT = join(ROOT, "..");
  const files = ["src", "build", "bin", "test"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.([cm]?[jt]s)$/.test(file) && !file.includes("node_modules"))
      .map((file) => join(folder, file)),
  );

  it("is by what they document", () => {
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((file) =>
      violations(file, readFileSync(join(PROJECT, file), "utf8")).map((violation) => `${file} ${violation}`),
    );
    expect([...new Set(found)].toSorted()).toEqual(EXCEPTIONS.toSorted());
  });

  it.each([
    ['import { x } from "commander/lib/option.js";', "imports commander/lib/option.js"],
    ['export * from "commander/lib/option.js";', "imports commander/lib/option.js"],
    ['await import("commander/lib/option.js");', "imports commander/lib/option.js"],
    ['require("commander/lib/option.js");', "imports commander/lib/option.js"],
    ['require.resolve("argparse/lib/sub.js");', "imports argparse/lib/sub.js"],
    ["schema._zod.def;", "uses the member _zod"],
    ['command["_actionHandler"] = undefined;', "uses the member _actionHandler"],
    ["Dispatcher.prototype.request = request;", "changes Dispatcher.prototype.request"],
    ["Object.assign(Dispatcher.prototype, api);", "changes Dispatcher.prototype"],
    ["Object.setPrototypeOf(Pool.prototype, Other);", "changes Pool.prototype"],
    ['import { setFlagsFromString as set } from "node:v8";', "uses setFlagsFromString"],
    ['const { setFlagsFromString } = process.getBuiltinModule("node:v8");', "uses setFlagsFromString"],
    ['v8.setFlagsFromString("--x");', "uses setFlagsFromString"],
  ])("would be found to violate the rules: %s", (code, violation) => {
    expect(violations("planted.ts", code)).toEqual([violation]);
  });

  it.each([
    'import * as z from "zod/mini"; z._default(z.string(), "");',
    'import { readFile } from "node:fs/promises";',
    'import { x } from "./parts/option.ts";',
    "const _former = {}.prototype;",
  ])("allow %s", (code) => {
    expect(violations("allowed.ts", code)).toEqual([]);
  });
});
