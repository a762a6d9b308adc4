/** JSON values that a document can hold. */

import * as fc from "fast-check";
import type { Json } from "../../src/schemas/json.ts";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/** Any text that databases can store. Examples are quotes, control characters, emoji and bidirectional marks. */
export const text = fc
  .oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string(), fc.constantFrom(...hostile()))
  .filter((value) => value.isWellFormed() && !value.includes("\0"));

const number = fc
  .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((value) => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value)));

export const key = text.filter((value) => !forbidden.has(value));

export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json; list: Json[]; map: { [key: string]: Json } }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("map"),
    ),
    list: fc.array(tie("value"), { maxLength: 5 }),
    map: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  }),
).value;

/** Texts with a special meaning in YAML, in a terminal or in a CI log. */
function hostile(): string[] {
  return [
    "yes",
    "null",
    "True",
    "OFF",
    "~",
    ".nan",
    "-1",
    "1_000",
    "0x1f",
    "1e3",
    "190:20:30",
    "2001-01-01",
    "=",
    "?",
    "-",
    "- a",
    "a: b",
    "a:",
    "a #b",
    "# c",
    "---",
    "...\n",
    "<<",
    "*a",
    "&a",
    "!t",
    "{a}",
    "[a",
    "a, b",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
    "'",
    '"',
    "  a ",
    "a\n\nb\n",
    "\n",
    " \n a",
    "\t",
    "::error::x",
    "##[group]",
    "##vso[x]",
    "\u001B[31mred\u001B[0m",
    "\u202Eevil",
    "a\u200Bb",
    "\u009B2J",
    "a\u0085b",
    "\u00A0",
    "\uFEFF",
    "a".repeat(1_030),
    "👩🏽‍🚀",
    "漢字",
  ];
}
