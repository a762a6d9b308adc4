/** Reads one scalar as a value or as a key. Follows the core schema of YAML 1.2.2 (section 10.3). */

import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import type { Problem } from "./problems.ts";

export type ScalarProblem = Pick<Problem, "code" | "message">;
export type ScalarResult<T> = { value: T; problem?: undefined } | { problem: ScalarProblem };

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

const MATCHES_TAG: Record<string, (value: unknown) => boolean> = {
  "!!null": (value) => value === null,
  "!!bool": (value) => typeof value === "boolean",
  "!!int": (value) => Number.isInteger(value),
  "!!float": (value) => typeof value === "number",
};

/** Reads a scalar of a text as a value. */
export function readValue(text: string, event: ScalarEvent): ScalarResult<unknown> {
  const source = getScalarValue(text, event);
  const tag = event.tagStart < 0 ? "" : text.slice(event.tagStart, event.tagEnd);
  if (tag === "" && event.style !== SCALAR_STYLE.PLAIN) return checkEscapes(text, event, source);
  if (tag === "!!str" || tag === "!") return checkEscapes(text, event, source);
  if (tag !== "" && !MATCHES_TAG[tag]) return refuse("YAML_TAG", unsupportedTag(tag));
  const value = resolvePlain(source);
  if (value instanceof BadNumber) return refuse("YAML_NUMBER", value.message);
  if (tag !== "" && !MATCHES_TAG[tag]!(value)) return refuse("YAML_TAG", `the value does not match its tag ${tag}`);
  return { value };
}

/** Reads a scalar of a text as a key. A key must be a text, because JSON allows no other keys. */
export function readKey(text: string, event: ScalarEvent): ScalarResult<string> {
  const source = getScalarValue(text, event);
  if (event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0) {
    if (source === "<<") {
      return refuse(
        "YAML_MERGE_KEY",
        "merge keys (<<) are not supported. Write the members out, or use an alias for one member",
      );
    }
    const value = resolvePlain(source);
    if (source === "") return refuse("YAML_KEY", "a key is missing before `:`");
    if (typeof value !== "string") return refuse("YAML_KEY", `a key must be text. Quote it: "${source}"`);
  }
  const read = readValue(text, event);
  if (read.problem) return read;
  if (typeof read.value !== "string") return refuse("YAML_KEY", "a key must be text. Quote it and remove its tag");
  if (FORBIDDEN_KEYS.has(read.value)) return refuse("YAML_KEY", `the key "${read.value}" is not allowed`);
  return { value: read.value };
}

export function unsupportedTag(tag: string): string {
  return `the tag ${tag} is not supported. Remove it, or quote a value that begins with !`;
}

/** Refuses a double-quoted scalar with escapes for characters that no database stores. */
function checkEscapes(text: string, event: ScalarEvent, source: string): ScalarResult<string> {
  if (event.style !== SCALAR_STYLE.DOUBLE_QUOTED || event.fast) return { value: source };
  if (hasEscapeBeyondUnicode(text.slice(event.valueStart, event.valueEnd))) {
    return refuse("YAML_FORBIDDEN_TEXT", "contains an escape beyond U+10FFFF, the last Unicode character");
  }
  if (source.includes("\0")) return refuse("YAML_FORBIDDEN_TEXT", "contains the character U+0000");
  if (!source.isWellFormed()) return refuse("YAML_FORBIDDEN_TEXT", "contains an unpaired surrogate");
  return { value: source };
}

function hasEscapeBeyondUnicode(quoted: string): boolean {
  if (!quoted.includes("\\U")) return false;
  for (const [, digits] of quoted.matchAll(/\\(?:U([0-9A-Fa-f]{8})|[^U])/g)) {
    if (digits && parseInt(digits, 16) > 0x10ffff) return true;
  }
  return false;
}

function refuse(code: Problem["code"], message: string): { problem: ScalarProblem } {
  return { problem: { code, message } };
}

/** A number that JSON can't represent as it is written. */
export class BadNumber {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const WORDS = new Map<string, null | boolean>([
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);

const integer = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/**
 * Returns the value of a plain scalar. This is null, a boolean, a number or a text. A number that JSON can't represent
 * becomes a `BadNumber`.
 */
export function resolvePlain(text: string): null | boolean | number | string | BadNumber {
  const first = text.charCodeAt(0);
  // Numbers begin with + - . or a digit.
  if (first === 43 || first === 45 || first === 46 || (first >= 48 && first <= 57)) return resolveNumber(text);
  if (text.length > 5) return text;
  const word = WORDS.get(text);
  return word === undefined ? text : word;
}

function resolveNumber(text: string): number | string | BadNumber {
  const isInteger = integer.test(text);
  if (!isInteger && !decimal.test(text)) {
    if (notFinite.test(text)) return new BadNumber("must be a finite number: JSON has no infinity and no NaN");
    return text;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return new BadNumber("is too large for a number. Quote it if it is text");
  if (Object.is(value, -0)) return new BadNumber("is a negative zero, which JSON does not preserve. Write 0");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new BadNumber("is a number that JSON can't represent exactly. Quote it if it is text");
  }
  return value;
}
