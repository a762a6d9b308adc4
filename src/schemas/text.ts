/** The schemas of names, keys, ids and free objects. */

import * as z from "zod/mini";
import { FIELD_KEY, IDENTIFIER, MAX_MUTATION_ID } from "./words.ts";

const MAX_OBJECT_BYTES = 16 * 1024;

/** An id or key that is safe in a URL path. `.` and `..` are not safe: they would lead to another endpoint. */
export const Identifier = z
  .string()
  .check(
    z.regex(
      IDENTIFIER,
      "must be 1 to 128 letters, digits, `_`, `.` or `-`, start with a letter or digit, and not contain `..`",
    ),
  );

/** A display name, trimmed: 1 to 200 characters. */
export const Name = z
  .string()
  .check(z.trim(), z.minLength(1, "must not be blank"), z.maxLength(200, "must be at most 200 characters"));

/** The key of a field: `full_name`. */
export const FieldKey = z
  .string()
  .check(z.regex(FIELD_KEY, "must be 1 to 63 lower-case letters, digits or `_`, and start with a letter"));

/** The id by which the server recognizes a repeated write (docs/decisions.md, "Replays"). */
export const ClientMutationId = z
  .string()
  .check(
    z.minLength(1, "must not be empty"),
    z.maxLength(MAX_MUTATION_ID, `must be at most ${MAX_MUTATION_ID} characters`),
  );

/** Returns an object shape in which all members have the same schema. */
export function membersOf<const K extends string, S>(names: readonly K[], schema: S): Record<K, S> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<K, S>;
}

/** A JSON object whose content the client defines, at most 16 KiB of JSON text. */
export const FreeObject = z.record(z.string(), z.unknown()).check(maxJsonBytes());

/** Refuses a value with more than 16 KiB of JSON text. */
export function maxJsonBytes<T>() {
  return z.refine<T>(
    (value) =>
      remainingRoom(value, MAX_OBJECT_BYTES) >= 0 || Buffer.byteLength(JSON.stringify(value)) <= MAX_OBJECT_BYTES,
    "must be at most 16 KiB of JSON",
  );
}

/**
 * Returns the number of bytes of `room` that remain after the longest possible JSON text of a value. If the result is
 * negative, the text must be built and measured.
 */
function remainingRoom(value: unknown, room: number): number {
  // An escaped character has at most 6 bytes, a number at most 25.
  if (typeof value === "string") return room - 6 * value.length - 3;
  if (typeof value !== "object" || value === null) return room - 26;
  let left = room - 3;
  for (const key in value) {
    if (left < 0) return left;
    left = remainingRoom(value[key as keyof typeof value], left - 6 * key.length - 4);
  }
  return left;
}

/** The maximum number of reported duplicates. Each duplicate is a separate problem. */
const MAX_REPEATED = 200;

/**
 * Refuses a list with duplicates of `key(item)`. The problem has the path of the repeated item. With `member`, the
 * problem has the path of that member of the item.
 */
export function unique<T>(key: (item: T) => string, member?: string) {
  return z.check<T[]>((context) => {
    const seen = new Set<string>();
    context.value.forEach((item, index) => {
      const found = key(item);
      if (seen.has(found) && context.issues.length < MAX_REPEATED) {
        context.issues.push({
          code: "custom",
          input: item,
          path: member === undefined ? [index] : [index, member],
          message: `"${found}" is listed twice`,
        });
      }
      seen.add(found);
    });
  });
}
