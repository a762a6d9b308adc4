/**
 * Checks the layers of docs/architecture.md: imports point down, and `HOME` limits where a third-party library is
 * imported.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "src");

/** Modules that know nothing about the API. Every folder may import them. */
const GROUND = [
  "database-url.ts",
  "error.ts",
  "file-limits.ts",
  "hidden-characters.ts",
  "host.ts",
  "longest-rise.ts",
  "nearest.ts",
  "plural.ts",
  "random.ts",
  "secret.ts",
  "sha256.ts",
  "shell-quote.ts",
  "short-ids.ts",
  "v8-flags.ts",
  "versioned-cache.ts",
] as const;

/** The folders from which a folder may import, apart from itself. A file directly in `src/` counts as a folder. */
const MAY_IMPORT: Record<string, readonly string[] | "any"> = {
  ...Object.fromEntries(GROUND.map((file) => [file, ["exit-codes.ts"]])),
  schemas: [],
  disk: ["schemas"],
  "service.ts": ["schemas"],
  "mutation-ids.ts": ["schemas"],
  "local-service.ts": ["schemas", "service.ts"],
  "exit-codes.ts": [],
  documents: ["schemas"],
  lists: ["schemas", "service.ts"],
  manifests: ["schemas", "service.ts", "local-service.ts", "mutation-ids.ts", "lists", "documents", "disk"],
  migrations: [
    "schemas",
    "service.ts",
    "local-service.ts",
    "mutation-ids.ts",
    "lists",
    "documents",
    "disk",
    "manifests",
  ],
  promotion: ["schemas", "service.ts", "local-service.ts", "lists", "documents", "disk", "manifests"],
  rehearsal: ["schemas", "service.ts", "local-service.ts", "lists", "manifests"],
  store: ["schemas", "local-service.ts", "disk"],
  engine: ["schemas", "service.ts", "local-service.ts", "store"],
  terminal: ["schemas", "exit-codes.ts"],
  preview: ["schemas", "manifests", "terminal"],
  config: ["schemas", "documents", "disk"],
  client: ["schemas", "service.ts", "lists"],
  server: ["schemas", "service.ts"],
  commands: [
    "schemas",
    "service.ts",
    "local-service.ts",
    "exit-codes.ts",
    "lists",
    "documents",
    "disk",
    "manifests",
    "migrations",
    "promotion",
    "rehearsal",
    "preview",
    "terminal",
    "config",
  ],
  "system-host.ts": "any",
  "system-process.ts": "any",
  "execute.ts": "any",
  "remote-target.ts": "any",
  "index.ts": "any",
  "library.ts": "any",
  "library-host.ts": "any",
  "local-target.ts": "any",
  "local-store.ts": "any",
  "serve.ts": "any",
  "target-copy.ts": "any",
  "script-copy.ts": "any",
  "rehearsed-command.ts": "any",
  "rehearsed-writes.ts": "any",
  "exit.ts": "any",
  "main.ts": "any",
};

/** The same for the folders in `manifests`. They may also import files directly in `manifests`. */
const MANIFEST_ROOMS: Record<string, readonly string[]> = {
  read: ["content"],
  content: [],
  current: ["content"],
  plan: ["content", "current"],
  apply: ["read", "content", "current", "plan"],
  export: ["read", "content", "current", "plan"],
  project: ["read", "content", "current", "plan", "apply", "export"],
};

/** For each library, the only folders or files that may import it. */
const HOME: Record<string, readonly string[]> = {
  commander: ["commands/program.ts"],
  "@inquirer/prompts": ["terminal/inquirer.ts"],
  chalk: ["terminal/style.ts"],
  chokidar: ["disk/watch-file.ts"],
  cosmiconfig: ["config/project-file.ts"],
  diff: ["manifests/export/write.ts"],
  "js-yaml": ["documents"],
  yaml: ["documents/yaml-source.ts"],
  "sql-template-tag": ["store"],
  "node:sqlite": ["store"],
  pg: ["store/postgres/connection.ts", "store/postgres/errors.ts"],
  "env-paths": ["config"],
  undici: ["client/undici-fetch.ts"],
  hono: ["server/handler.ts"],
  "@hono/node-server": ["server/listen.ts"],
  pino: ["server/request-log.ts"],
  "@napi-rs/keyring": ["config/keychain.ts"],
  "p-map": ["manifests", "migrations", "promotion", "rehearsal"],
  "@noble/hashes": ["sha256.ts"],
  "fastest-levenshtein": ["nearest.ts"],
  "@jmespath-community/jmespath": ["commands/output.ts"],
  "zod/mini": ["schemas", "manifests", "migrations"],
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

function mayImportWithin(file: string, path: string): boolean {
  const [from, to] = [file, path].map((each) => each.split("/").slice(1, -1)[0]);
  if (from === to) return true;
  if (to === undefined) return true;
  return from !== undefined && (MANIFEST_ROOMS[from]?.includes(to) ?? false);
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
  if (room === "manifests" && target === room && !mayImportWithin(file, path))
    return `${place} imports up or sideways: ${from}`;
  if (room === target || allowed === "any" || GROUND.some((each) => each === target)) return undefined;
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
    [{ file: "manifests/plan/plan.ts", line: 1, from: "../apply/apply.ts" }, "up, within a room"],
    [{ file: "manifests/lock.ts", line: 1, from: "./plan/plan.ts" }, "in from the door of a room"],
    [{ file: "disk/process-lock.ts", line: 1, from: "../manifests/lock.ts" }, "up from below a room"],
    [{ file: "cellar/wine.ts", line: 1, from: "../schemas/form.ts" }, "from an unknown room"],
  ])("complains about %o (%s)", (planted) => {
    expect(complaint(planted)).toBeDefined();
  });
});
