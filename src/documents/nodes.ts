/** One scalar of a document: as a value, and as a key. */

import { SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import type { Problem } from "./invalid-document.ts";
import { BadNumber, resolvePlain } from "./scalars.ts";

export type Read<T> = { value: T; problem?: undefined } | { problem: Pick<Problem, "code" | "message"> };

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** What the tags of the core schema promise of a scalar. */
const FITS_TAG: Record<string, (value: unknown) => boolean> = {
  "!!null": (value) => value === null,
  "!!bool": (value) => typeof value === "boolean",
  "!!int": (value) => Number.isInteger(value),
  "!!float": (value) => typeof value === "number",
};

/** The value of a scalar whose decoded text is `source`. */
export function readScalar(text: string, event: ScalarEvent, source: string): Read<unknown> {
  const tag = event.tagStart < 0 ? "" : text.slice(event.tagStart, event.tagEnd);
  if (tag === "" && event.style !== SCALAR_STYLE.PLAIN) return checkEscapes(text, event, source);
  if (tag === "!!str" || tag === "!") return checkEscapes(text, event, source);
  if (tag !== "" && !FITS_TAG[tag]) {
    return refuse("YAML_TAG", `the tag ${tag} is not read here. Remove it, or quote a value that begins with !`);
  }
  const value = resolvePlain(source);
  if (value instanceof BadNumber) return refuse("YAML_NUMBER", value.message);
  if (tag !== "" && !FITS_TAG[tag]!(value)) return refuse("YAML_TAG", `the value does not fit its tag ${tag}`);
  return { value };
}

/** The name that a scalar gives to a member. Only text can: a JSON object has no other keys. */
export function readKey(text: string, event: ScalarEvent, source: string): Read<string> {
  if (event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0) {
    if (source === "<<") {
      return refuse(
        "YAML_MERGE_KEY",
        "merge keys are not read here. Write the members out, or give one member an alias",
      );
    }
    const value = resolvePlain(source);
    if (source === "") return refuse("YAML_KEY", "a key is missing before `:`");
    if (typeof value !== "string") return refuse("YAML_KEY", `a key must be text. Quote it: "${source}"`);
  }
  const read = readScalar(text, event, source);
  if (read.problem) return read;
  if (typeof read.value !== "string") return refuse("YAML_KEY", "a key must be text. Quote it, without a tag");
  if (FORBIDDEN_KEYS.has(read.value)) return refuse("YAML_KEY", `a key must not be named "${read.value}"`);
  return { value: read.value };
}

/** Double quotes can hold escapes, and those can name what no database keeps. */
function checkEscapes(text: string, event: ScalarEvent, source: string): Read<string> {
  if (event.style !== SCALAR_STYLE.DOUBLE_QUOTED || event.fast) return { value: source };
  if (escapesBeyondUnicode(text.slice(event.valueStart, event.valueEnd))) {
    return refuse("YAML_FORBIDDEN_TEXT", "contains an escape beyond U+10FFFF, the last character");
  }
  if (source.includes("\0")) return refuse("YAML_FORBIDDEN_TEXT", "contains the character U+0000");
  if (!source.isWellFormed()) return refuse("YAML_FORBIDDEN_TEXT", "contains half of a surrogate pair");
  return { value: source };
}

function escapesBeyondUnicode(quoted: string): boolean {
  if (!quoted.includes("\\U")) return false;
  for (const [, digits] of quoted.matchAll(/\\(?:U([0-9A-Fa-f]{8})|[^U])/g)) {
    if (digits && parseInt(digits, 16) > 0x10ffff) return true;
  }
  return false;
}

function refuse(code: Problem["code"], message: string): { problem: Pick<Problem, "code" | "message"> } {
  return { problem: { code, message } };
}
