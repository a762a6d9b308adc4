/** The words that names, keys and ids may be made of, and the sizes of free objects. */

import * as z from "zod/mini";
import { IDENTIFIER, MAX_MUTATION_ID } from "./words.ts";

const MAX_OBJECT_BYTES = 16 * 1024;

/** An id or key that may stand in a URL path. `.` and `..` can't, or they would reach another endpoint. */
export const Identifier = z
  .string()
  .check(
    z.regex(
      IDENTIFIER,
      "must be 1 to 128 letters, digits, `_`, `.` or `-`, start with a letter or digit, and not contain `..`",
    ),
  );

/** A person's name for a thing, trimmed: 1 to 200 characters. */
export const Name = z
  .string()
  .check(z.trim(), z.minLength(1, "must not be blank"), z.maxLength(200, "must be at most 200 characters"));

/** The key of a field: `full_name`. */
export const FieldKey = z
  .string()
  .check(
    z.regex(/^[a-z][a-z0-9_]{0,62}$/, "must be 1 to 63 lower-case letters, digits or `_`, and start with a letter"),
  );

/** The id that makes a write repeatable (docs/decisions.md, "Replays"). */
export const ClientMutationId = z
  .string()
  .check(
    z.minLength(1, "must not be empty"),
    z.maxLength(MAX_MUTATION_ID, `must be at most ${MAX_MUTATION_ID} characters`),
  );

/** The shape of an object whose members are all of one kind. */
export function membersOf<const K extends string, S>(names: readonly K[], schema: S): Record<K, S> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<K, S>;
}

/** A free JSON object that belongs to the client; 16 KiB of JSON text at most. */
export const FreeObject = z.record(z.string(), z.unknown()).check(maxJsonBytes());

/** Refuses an object whose JSON text is over 16 KiB. */
export function maxJsonBytes<T>() {
  return z.refine<T>(
    (value) =>
      surelyBelow(value, MAX_OBJECT_BYTES) >= 0 || Buffer.byteLength(JSON.stringify(value)) <= MAX_OBJECT_BYTES,
    "must be at most 16 KiB of JSON",
  );
}

/** What is left of `room` after the JSON text of a value at its longest; below 0 the text has to be made to be measured. */
function surelyBelow(value: unknown, room: number): number {
  // An escape has six bytes, a number 25 at most.
  if (typeof value === "string") return room - 6 * value.length - 3;
  if (typeof value !== "object" || value === null) return room - 26;
  let left = room - 3;
  for (const key in value) {
    if (left < 0) return left;
    left = surelyBelow(value[key as keyof typeof value], left - 6 * key.length - 4);
  }
  return left;
}

/** More repeated items than these are not told: each is a problem of its own. */
const MAX_REPEATED = 200;

/** Refuses a list in which `key(item)` stands twice, and names the second place. */
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
