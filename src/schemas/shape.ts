/** Parses a value by its schema and describes the problems of its shape. */

import * as z from "zod/mini";
import { isLarge, parseLarge } from "./large-values.ts";
import { findForbidden } from "./json.ts";
import { nearest } from "../base/nearest.ts";
import { formatPath } from "./path.ts";
import type { ReadBy, Schema } from "./schema.ts";

/** A problem of the shape of a value. `path` is empty for the whole value. */
export type ShapeProblem = { path: string; message: string };

export type Shape<T> = { ok: true; value: T } | { ok: false; problems: ShapeProblem[] };

/**
 * Parses `value`, or returns the problems of its shape. A forbidden value (json.ts) is reported alone. The result may
 * share parts with `value`.
 *
 * @param most the largest number of problems of a large value. The parse stops after them
 */
export function readShape<S extends Schema>(schema: S, value: unknown, most = Infinity): Shape<ReadBy<S>> {
  const forbidden = findForbidden(value);
  if (forbidden) return { ok: false, problems: [{ path: formatPath(forbidden.path), message: forbidden.reason }] };
  return readParsed(schema, value, most);
}

/**
 * Like {@link readShape}, for a value without forbidden values. For example, `documents/` has already refused forbidden
 * values.
 */
export function readParsed<S extends Schema>(schema: S, value: unknown, most = Infinity): Shape<ReadBy<S>> {
  if (isLarge(value)) {
    const read = parseLarge(schema, value, most, phrase);
    if ("issues" in read) return { ok: false, problems: problemsIn(read.issues, schema).slice(0, most) };
    return { ok: true, value: read.value as ReadBy<S> };
  }
  const result = z.safeParse(schema, value, { error: phrase });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsIn(result.error.issues, schema) };
}

function problemsIn(issues: readonly z.core.$ZodIssue[], schema: Schema): ShapeProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, schema));
}

/**
 * Converts an issue of zod to problems. Each unknown member is a problem with its own path. Any other issue is one
 * problem.
 */
function problemsOf(issue: z.core.$ZodIssue, schema: Schema): ShapeProblem[] {
  if (issue.code !== "unrecognized_keys") return [{ path: formatPath(issue.path), message: issue.message }];
  // The valid members are known only for the outermost object.
  const known = issue.path.length === 0 && schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [];
  return issue.keys.map((key) => ({
    path: formatPath([...issue.path, key]),
    message: `is not a known member${didYouMean(key, known)}`,
  }));
}

/** Returns a suggestion of the nearest valid word, as the end of a message. */
function didYouMean(word: unknown, known: readonly string[]): string {
  const meant = typeof word === "string" ? nearest(word, known) : undefined;
  return meant === undefined ? "" : `. Did you mean "${meant}"?`;
}

function phrase(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${describe(issue.input)}${quoteIt(issue)}`;
    case "invalid_value":
      if (issue.input === undefined) return "is required";
      return oneOf(issue.values.map(String), issue.input);
    case "unrecognized_keys":
      return `has unknown members: ${issue.keys.join(", ")}`;
    default:
      return "has a wrong value";
  }
}

/** Returns a hint to quote a text. YAML reads an unquoted 1000 or true as a number or a boolean. */
function quoteIt({ expected, input }: { expected: string; input?: unknown }): string {
  const isRead = typeof input === "number" || typeof input === "boolean";
  return expected === "string" && isRead ? ". Quote it if it is text" : "";
}

function oneOf(values: readonly string[], input: unknown): string {
  const wanted = `${values.length === 1 ? "" : "one of "}${values.join(", ")}`;
  return `must be ${wanted}, not ${describe(input)}${didYouMean(input, values)}`;
}

const EXPECTED: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function describe(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return `a ${typeof value}`;
}
