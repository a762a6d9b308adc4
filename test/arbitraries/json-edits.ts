/** Edits of a JSON value, like those of another editor: members and items are added, removed, moved and changed. */

import * as fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";

export type Edit = { at: number; act: "set" | "drop" | "add" | "swap"; value: unknown };

const values = fc.oneof(
  fc.constantFrom<unknown>("new", "two words", "", "a: b", "x\ny", "x\n\ny\n", " lead", "# c", "5", "null", "ünï"),
  fc.constantFrom<unknown>(7, -1.5, true, null, "\u202Ebidi", "a\tb", "'", '"', "${X}", "[", "- x"),
  fc.constantFrom<unknown>([], {}, ["p", "q"], { m: 1 }, [{ id: "n", list: [1, { z: "\n" }] }], { deep: { er: [[]] } }),
);

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ at: fc.nat(), act: fc.constantFrom("set", "set", "drop", "add", "swap"), value: values }),
  { minLength: 1, maxLength: 5 },
);

/** Sets scalars to new scalars of one line. The new scalars don't occur in the tested texts. */
export const scalarEdits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(),
    act: fc.constant("set"),
    value: fc.constantFrom<unknown>("fresh", "quite new", 7, false, "that's new", "c: d"),
  }),
  { minLength: 1, maxLength: 4 },
);

type Slot = { holder: JsonObject | unknown[]; step: string | number };

/** A copy of `value` with the edits. The root of the copy is a mapping with at least one member. */
export function edited(value: JsonObject, list: readonly Edit[], onlyScalars = false): JsonObject {
  const copy = structuredClone(JSON.parse(JSON.stringify(value)) as JsonObject);
  for (const { at, act, value: next } of list) {
    const slots = slotsOf(copy).filter(
      ({ holder, step }) => !onlyScalars || !isContainer((holder as Record<string | number, unknown>)[step]),
    );
    const slot = slots[at % slots.length];
    if (!slot) continue;
    const { holder, step } = slot;
    const isList = Array.isArray(holder);
    if (act === "set") (holder as Record<string | number, unknown>)[step] = structuredClone(next);
    else if (act === "drop") {
      if (isList) holder.splice(Number(step), 1);
      else if (holder !== copy || Object.keys(copy).length > 1) delete holder[step];
    } else if (act === "add") {
      if (isList) holder.splice(Number(step), 0, structuredClone(next));
      else holder[`new_${at % 7}`] = structuredClone(next);
    } else if (isList) holder.push(...holder.splice(Number(step), 1));
  }
  return copy;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

function slotsOf(value: unknown): Slot[] {
  if (!Array.isArray(value) && !isJsonObject(value)) return [];
  const holder = value;
  return Object.keys(holder).flatMap((key) => {
    const step = Array.isArray(holder) ? Number(key) : key;
    return [{ holder, step }, ...slotsOf((holder as Record<string | number, unknown>)[step])];
  });
}
