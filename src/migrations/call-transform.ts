/** Calls the functions of a transform, and checks what they return. */

import { manifestOf } from "../manifests/read/read-manifest.ts";
import { FORM_MEMBERS } from "../manifests/manifest-schema.ts";
import { LocatedError, problemsError } from "../documents/located-error.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { OpenDraftFile } from "../schemas/draft-schema.ts";
import { copyJson, findForbidden, isJsonObject, type JsonObject, sameJson, toJson } from "../schemas/json.ts";
import { formatPath } from "../schemas/path.ts";
import { readParsed } from "../schemas/shape.ts";
import type { About, FormMembers, Transform } from "./definition.ts";
import type { LoadedMigration } from "./loaded.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/**
 * The members of a loaded migration that call its functions and create errors. The errors are located in the
 * migration's file.
 */
export type MigrationCode = Pick<LoadedMigration, "file" | "call" | "refuse">;

export type Location = { file: string; line: number; column: number };

/**
 * Returns the position of a function of the migration. Also returns the text of the file, so that an error can show the
 * line.
 */
export function positionOf(
  code: MigrationCode,
  member: "layout" | "form",
): { location: Location; sources: ReadonlyMap<string, string> } {
  const error = code.refuse(member, "");
  const { location, sources = new Map<string, string>() } = error instanceof LocatedError ? error : {};
  return { location: location ?? { file: code.file, line: 1, column: 1 }, sources };
}

const EXPECTED = { layout: "the content", form: "the members of the form" } as const;

/**
 * Returns the content that the function `layout` computes. Undefined if the content does not change. Unchanged parts,
 * such as blocks, are the same objects as in `content`.
 *
 * @param content not changed: the function gets a copy
 * @throws MIGRATION_INVALID at the function if its result is not a content
 * @throws the errors of the function
 */
export function callLayout(
  transform: Transform,
  code: MigrationCode,
  content: DraftContent,
  about: About,
): DraftContent | undefined {
  if (!transform.layout) return undefined;
  const result = changedJson(
    call(code, "layout", about, () => transform.layout?.(copyJson(content), about) as unknown),
    content,
    { code, member: "layout", about },
  );
  if (result === undefined) return undefined;
  const shape = readParsed(OpenDraftFile, result, MOST_PROBLEMS);
  if (!shape.ok) {
    const problems = shape.problems.map(({ path, message }) => `${path || "the content"} ${message}`);
    throw code.refuse("layout", `${about.address}: the returned content is invalid: ${listed(problems)}`);
  }
  const { clientMutationId: _ofRequest, ...changed } = shape.value;
  return changed;
}

/**
 * Returns the members of a form that the function `form` changes, with their new values. Undefined if the form does not
 * change.
 *
 * @param form the current members; not changed: the function gets a copy
 * @throws MIGRATION_INVALID at the function if its result is not a form
 * @throws the errors of the function
 */
export function callForm(
  transform: Transform,
  code: MigrationCode,
  form: FormMembers,
  about: About & { object: ObjectKey },
): Partial<FormMembers> | undefined {
  if (!transform.form) return undefined;
  const result = changedJson(
    call(code, "form", about, () => transform.form?.(copyJson(form), about) as unknown),
    form,
    { code, member: "form", about },
  );
  if (result === undefined) return undefined;
  const refuse = (fact: string) => code.refuse("form", `${about.address}: ${fact}`);
  const unknown = Object.keys(result).filter((member) => !FORM_MEMBERS.has(member));
  if (unknown.length > 0) {
    throw refuse(`unknown member ${JSON.stringify(unknown[0])}. Valid members: ${[...FORM_MEMBERS].join(", ")}`);
  }
  const read = manifestOf(
    { ...result, kind: "Form", object: objectText(about.object) },
    { file: "", locate: (problem): Located => ({ ...problem, file: "", line: 1, column: 1 }) },
  );
  if ("problems" in read) throw refuse(`the returned form is invalid: ${listed(read.problems.map(textOf))}`);
  const changed = Object.entries(result).filter(([member, value]) => !sameJson(value, form[member]));
  const removed = Object.keys(form).find((member) => form[member] !== undefined && !Object.hasOwn(result, member));
  if (removed !== undefined) {
    throw refuse(`the returned form has no ${removed}. Return all members; to remove a value, set it to null or []`);
  }
  return Object.fromEntries(changed);
}

/** Calls a function of the migration. Adds the address of the form or layout to its errors. */
function call<T>(code: MigrationCode, member: "layout" | "form", { address }: About, work: () => T): T {
  try {
    return code.call(member, work);
  } catch (error) {
    if (!(error instanceof LocatedError) || error.problems.length === 0) throw error;
    const { problems, sources, hint } = error;
    const named = problems.map((each) => ({ ...each, message: `${address}: ${each.message}` }));
    throw problemsError(error.code, { problems: named, sources, hint, cause: error.cause });
  }
}

/** The number of problems after which the check of a returned content stops. */
const MOST_PROBLEMS = 20;

function listed([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

function textOf({ message }: Located): string {
  return message;
}

/**
 * Returns the result of a function as JSON, without undefined members. Undefined if the result is null or equal to
 * `before`. Each part that equals the same part of `before` is taken from `before`.
 *
 * @throws MIGRATION_INVALID for undefined, for a promise, and for values that JSON can't represent
 */
function changedJson(
  result: unknown,
  before: object,
  { code, member, about }: { code: MigrationCode; member: "layout" | "form"; about: About },
): JsonObject | undefined {
  if (result === null) return undefined;
  const refuse = (fact: string) => code.refuse(member, `${about.address}: ${member} ${fact}`);
  // Often a forgotten `return`. The migration would count as done, and never run again.
  if (result === undefined) throw refuse(`returns nothing. Return ${EXPECTED[member]}, or null to leave it as it is`);
  if (typeof result === "object" && result !== null && "then" in result) {
    // An unhandled rejection would end the process. The error of the promise needs no report: returning a promise is
    // already an error.
    Promise.resolve(result).catch(() => undefined);
    throw refuse(`returns a promise, and must return ${EXPECTED[member]}`);
  }
  let json: unknown;
  try {
    json = toJson(result, before);
  } catch (error) {
    throw refuse(
      `returns a value that JSON can't represent: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (json === before) return undefined;
  const forbidden = findForbidden(json);
  if (forbidden) throw refuse(`returns an invalid value: ${formatPath(forbidden.path) || "it"} ${forbidden.reason}`);
  if (!isJsonObject(json)) {
    throw refuse(`returns ${shortly(json)}, and must return ${EXPECTED[member]}, or null to leave it as it is`);
  }
  return json;
}

function shortly(value: unknown): string {
  return Array.isArray(value) ? "a list" : JSON.stringify(value).slice(0, 60);
}
