/**
 * Loads a migration: executes a module, or reads a YAML file. Only `codemod` and `migrate plan`, `run` and `down` load
 * migrations, and `migrate plan --no-code` only those in YAML. The other `migrate` commands read names and checksums
 * (folder.ts), and `migrate status` also reads YAML.
 */

import { extname } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { FormctlError } from "../base/error.ts";
import { reasonOf } from "../disk/file-errors.ts";
import { type Position, positionsOf } from "../documents/problems.ts";
import { LocatedError, problemsError } from "../documents/located-error.ts";
import { nearest } from "../base/nearest.ts";
import { sha256 } from "../base/sha256.ts";
import { definitionProblems } from "./check-definition.ts";
import { confine } from "./confinement.ts";
import type { Migration } from "./definition.ts";
import type { LoadedMigration } from "./loaded.ts";
import { importModule } from "./import-module.ts";
import { settled } from "./settled.ts";
import { strayErrors } from "./stray-errors.ts";
import { errorAt, failureAt, type MigrationText, thrownAt } from "./thrown.ts";

export type LoadOptions = {
  /** The absolute path of the file. */
  path: string;
  /** The name of the file in messages. */
  file: string;
  /** Returns what the module can import from `formctl`: the exports of the library of this program. */
  library: () => Promise<object>;
  /** Receives what the migration prints. Default: prints it on stderr */
  print?: ((text: string) => void) | undefined;
};

const toStderr = (text: string) => void process.stderr.write(text);

/**
 * Loads the migration in a file. A module (.ts, .js, .mjs) is executed, and its default export is checked. A YAML file
 * is read. The errors are LocatedErrors.
 *
 * @throws MIGRATION_INVALID if the file can't be read, or is no migration
 * @throws MIGRATION_FAILED, or the error that the module throws, as {@link LoadedMigration.call} does
 */
export async function loadMigration({ path, file, library, print = toStderr }: LoadOptions): Promise<LoadedMigration> {
  const text = readText(path, file);
  if (!isCode(path)) return (await import("./yaml.ts")).readYamlMigration(text, file);
  const source = { file, path, text };
  const exports = await library();
  const stray = strayErrors(
    (error) => failureAt(error, source, thrownAt(error, path) ?? positionOf(text, undefined)),
    ({ message }) => print(`error: ${message}\n`),
  );
  const run = confine(print, stray.add);
  const module = await stray.after(imported(source, exports, run));
  const problems = definitionProblems(module).map(({ member, message }) => ({
    severity: "error" as const,
    code: "MIGRATION_INVALID",
    message,
    file,
    ...positionOf(text, member),
  }));
  if (problems.length > 0) throw problemsError("MIGRATION_INVALID", { problems, sources: new Map([[file, text]]) });
  return {
    migration: module["default"] as Migration,
    file,
    call(member, work) {
      stray.check();
      const result = located(() => run(work), source, member);
      return result instanceof Promise ? (stray.after(result) as typeof result) : result;
    },
    refuse: (member, message, hint) =>
      errorAt("MIGRATION_INVALID", { file, text, position: positionOf(text, member), message, hint }),
  };
}

/** Whether loading the migration executes code. */
export function isCode(path: string): boolean {
  return !/^\.ya?ml$/.test(extname(path));
}

function readText(path: string, file: string): string {
  try {
    return readWithin(path, MAX_FILE_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FormctlError) throw error;
    throw new LocatedError("MIGRATION_INVALID", `${file} can't be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Imports the module. Its code at the top level runs now. */
async function imported(
  source: MigrationText,
  library: object,
  run: <T>(work: () => T) => T,
): Promise<Record<string, unknown>> {
  try {
    const version = sha256(source.text);
    return (await settled(run(() => importModule(source.path, version, library)))) as Record<string, unknown>;
  } catch (error) {
    throw syntaxError(error, source, library) ?? failureAt(error, source, thrownAt(error, source.path) ?? START);
  }
}

const START: Position = { line: 1, column: 1 };

/**
 * Returns the located error for a module that Node can't parse or link. Undefined for an error that the module throws.
 */
function syntaxError(error: unknown, { file, path, text }: MigrationText, library: object): LocatedError | undefined {
  if (!(error instanceof Error)) return undefined;
  const at = (position: Position, hint?: string) =>
    errorAt("MIGRATION_INVALID", { file, text, position, message: error.message, hint, cause: error });
  const code = "code" in error ? error.code : undefined;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
    const specifier = /'([^']+)'/.exec(error.message)?.[1] ?? "";
    return at(offsetPosition(text, Math.max(text.indexOf(specifier), 0)));
  }
  if (error.name !== "SyntaxError") return undefined;
  // The stack of a syntax error begins with the file and line. Some lines of text follow, and then a mark below the
  // invalid part.
  const [, name = "", line = "", mark = ""] = /^(.*?):(\d+)\n[^]*?\n( *)\^+ *\n/.exec(error.stack ?? "") ?? [];
  if (line === "") return undefined;
  if (!name.replace(/^file:\/\//, "").startsWith(path)) {
    return new LocatedError("MIGRATION_INVALID", `${name}:${line}: ${error.message}`, { cause: error });
  }
  const [, missing] = /does not provide an export named '([^']+)'/.exec(error.message) ?? [];
  const near = missing === undefined ? undefined : nearest(missing, Object.keys(library));
  const typescript = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? ONLY_TYPES : undefined;
  const hint = near === undefined ? typescript : `Did you mean ${near}?`;
  return at({ line: Number(line), column: mark.length + 1 }, hint);
}

const ONLY_TYPES =
  "Node removes types and transforms no other syntax. Use an object instead of an enum or a namespace.";

/**
 * Runs a function of the migration. Locates an error at the line that threw. If this line is unknown, locates the error
 * at the function.
 */
function located<T>(work: () => T, source: MigrationText, member: string): T {
  const failure = (error: unknown) =>
    failureAt(error, source, thrownAt(error, source.path) ?? positionOf(source.text, member));
  let result: T;
  try {
    result = work();
  } catch (error) {
    throw failure(error);
  }
  if (!(result instanceof Promise)) return result;
  return settled(result).catch((error: unknown) => {
    throw failure(error);
  }) as T;
}

/**
 * Returns the position of a member of the migration. If the member is not found, returns the position of the default
 * export.
 */
function positionOf(text: string, member: string | undefined): Position {
  const start = Math.max(text.search(/^export\s+default\b/m), 0);
  if (member === undefined) return offsetPosition(text, start);
  const name = new RegExp(
    String.raw`(?<=^|[{,\s])["']?${member.replaceAll(/\W/g, String.raw`\$&`)}["']?\s*[(:,}]`,
    "m",
  );
  const found = text.slice(start).search(name);
  return offsetPosition(text, found < 0 ? start : start + found);
}

function offsetPosition(text: string, offset: number): Position {
  return positionsOf(text)(offset);
}
