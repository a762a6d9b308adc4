/** Locates the errors of a migration in its file. */

import { pathToFileURL } from "node:url";
import { LocatedError, problemsError } from "../documents/located-error.ts";
import type { Position } from "../documents/problems.ts";
import { type ErrorCode, FormctlError, hasCode } from "../base/error.ts";
import { ServiceError } from "../service.ts";

/** The file of a migration. `file` is the name of the file in messages. `path` is the absolute path. */
export type MigrationText = { file: string; path: string; text: string };

/**
 * The stacks of the calls that led to an error, the innermost first. The stack of the error itself begins in the
 * service, and V8 keeps only ten frames. So the line of the migration is often missing there.
 */
const callStacks = new WeakMap<object, string[]>();

/** Remembers the stack of a call by a migration. The call failed with this error. */
export function rememberCall(error: unknown, stack: string | undefined): void {
  if (typeof error !== "object" || error === null || stack === undefined) return;
  callStacks.set(error, [...(callStacks.get(error) ?? []), stack]);
}

/** Searches the stacks of an error for the file at `path`. Returns the first position in the file, or undefined. */
export function thrownAt(error: unknown, path: string): Position | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const calls = callStacks.get(error) ?? [];
  const own = error instanceof Error && error.stack !== undefined ? [error.stack] : [];
  // An error of formctl or the service occurs in a call by the migration. So the stacks of calls come first. Any other
  // error occurs in the migration itself.
  const stacks =
    error instanceof FormctlError || error instanceof ServiceError ? [...calls, ...own] : [...own, ...calls];
  for (const stack of stacks) {
    const position = positionInStack(stack, path);
    if (position) return position;
  }
  return undefined;
}

/**
 * Returns the position of the first frame of the file. A stack contains the path of the file or its URL. The URL of an
 * imported module ends with a query.
 */
function positionInStack(stack: string, path: string): Position | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    for (let at = stack.indexOf(name); at >= 0; at = stack.indexOf(name, at + 1)) {
      const found = /^(?:\?[^:\s)]*)?:(\d+)(?::(\d+))?/.exec(stack.slice(at + name.length));
      if (found) return { line: Number(found[1]), column: Number(found[2] ?? 1) };
    }
  }
  return undefined;
}

/** Errors that are about the run, and not about the migration. */
const ABOUT_THE_RUN = ["INTERRUPTED", "MIGRATION_IN_PROGRESS", "MIGRATIONS_CHANGED"] as const;

/**
 * Returns an error at a position of a migration. Errors of formctl and of the service keep their exit code. Any other
 * error is MIGRATION_FAILED. An error that has a location or is about the run is returned unchanged.
 *
 * @param what precedes the message, such as `step "create the form"`
 */
export function failureAt(
  error: unknown,
  { file, text }: Pick<MigrationText, "file" | "text">,
  position: Position,
  what?: string,
): Error {
  if (hasCode(error, ...ABOUT_THE_RUN)) return error;
  if (error instanceof LocatedError && (error.location || error.problems.length > 0)) return error;
  const code = error instanceof FormctlError ? error.code : "MIGRATION_FAILED";
  const message = what === undefined ? messageOf(error) : `${what}: ${messageOf(error)}`;
  const hint = error instanceof FormctlError || error instanceof ServiceError ? error.hint : undefined;
  return errorAt(code, { file, text, position, message, hint, cause: error });
}

/** Returns an error with one problem in a migration. */
export function errorAt(
  code: ErrorCode,
  {
    file,
    text,
    position,
    message,
    hint,
    cause,
  }: Pick<MigrationText, "file" | "text"> & {
    position: Position;
    message: string;
    hint?: string | undefined;
    cause?: unknown;
  },
): LocatedError {
  const problems = [{ severity: "error" as const, code, message, file, ...position }];
  return problemsError(code, { problems, sources: new Map([[file, text]]), hint, cause });
}

/** Returns the message of an error. A specific name of the error, such as `TypeError`, precedes the message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `the migration threw ${JSON.stringify(error) ?? String(error)}`;
  const { name, message } = error;
  const isNamed = error instanceof FormctlError || error instanceof ServiceError || name === "Error";
  return isNamed ? message : `${name}: ${message}`;
}
