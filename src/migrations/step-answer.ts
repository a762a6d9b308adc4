/** Converts the answer of a step to the JSON that the record keeps. */

import { FormctlError } from "../base/error.ts";
import { findForbidden, type Json } from "../schemas/json.ts";
import { formatPath } from "../schemas/path.ts";

/** The maximum size of an answer, in bytes of JSON. The size is limited because each step writes the whole record. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_DEPTH = 64;

/**
 * Returns the answer as JSON. Undefined becomes null, and members that are undefined are left out.
 *
 * @throws MIGRATION_INVALID if the answer is too long, or contains a part that JSON would lose or change
 */
export function recordableAnswer(step: string, answer: unknown): Json {
  const found = notJson(answer, [], 0) ?? findForbidden(answer);
  if (found) {
    const subject = found.path.length === 0 ? "the answer" : `the member ${formatPath(found.path)} of the answer`;
    throw refused(step, `${subject} ${found.reason}`);
  }
  const text = JSON.stringify(answer ?? null);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ANSWER_BYTES) throw refused(step, `the answer has ${bytes} bytes, more than ${MAX_ANSWER_BYTES}`);
  return JSON.parse(text) as Json;
}

function refused(step: string, reason: string): FormctlError {
  return new FormctlError(
    "MIGRATION_INVALID",
    `the answer of step "${step}" can't be recorded: ${reason}`,
    "Return only what later steps need, such as an id, and run the migration again. The step is not sent twice.",
  );
}

type Found = { path: (string | number)[]; reason: string };

/** Returns the first part of a value that JSON would lose or change. */
function notJson(value: unknown, path: (string | number)[], depth: number): Found | undefined {
  if (depth > MAX_DEPTH) return { path, reason: `is nested more than ${MAX_DEPTH} levels deep, or contains itself` };
  if (typeof value === "function" || typeof value === "symbol") return { path, reason: `is a ${typeof value}` };
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === undefined) return { path: [...path, index], reason: "is undefined" };
      const found = notJson(item, [...path, index], depth + 1);
      if (found) return found;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return { path, reason: `is a ${value.constructor.name}, which JSON can't represent` };
  }
  for (const [name, member] of Object.entries(value)) {
    const found = notJson(member, [...path, name], depth + 1);
    if (found) return found;
  }
  return undefined;
}
