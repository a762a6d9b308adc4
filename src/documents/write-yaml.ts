/**
 * Prints a value as YAML. This module does not import the YAML reader. Therefore commands that only print YAML load
 * less code.
 */

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";
import { HIDDEN } from "../base/hidden-characters.ts";

const hiddenButNewline = String.raw`(?!\n)${HIDDEN}|[\uFFFE\uFFFF]`;
const ciCommand = String.raw`##(?=\[|vso\[)`;
/** Matches characters to escape. Also matches commands that CI systems execute in a log. */
const suspect = new RegExp(String.raw`${hiddenButNewline}|${ciCommand}|^\s*::`, "imu");
const escaped = new RegExp(`${hiddenButNewline}|${ciCommand}`, "giu");
/** Matches every printed text with a suspect value. */
const suspectAnywhere = new RegExp(`${hiddenButNewline}|##|::`, "u");

export type YamlOptions = {
  /** Prints `{a: [1]}` on one line instead of a line for each member. */
  flow?: boolean;
  /** Adds spaces inside the braces: `{ a: [1] }`. */
  padded?: boolean;
};

/** Uses double quotes for a text that needs escapes. Only double-quoted scalars can contain escapes. */
const quoteSuspectText: ScalarStyleRule = (layout) => {
  if (suspect.test(layout.node.value)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

/**
 * Prints a JSON value as YAML. Members keep their order. Prints no anchors and no folded lines. Undefined members are
 * left out, as in JSON.
 */
export function toYaml(value: unknown, { flow, padded }: YamlOptions = {}): string {
  const options = {
    noRefs: true,
    lineWidth: -1,
    skipInvalid: true,
    ...(flow && { flowLevel: 0 }),
    ...(padded && { flowBracketPadding: true }),
  };
  const text = dump(value ?? null, options);
  // Few texts have such values, so the values of other texts are not tested one by one.
  if (!mayBeSuspect(text)) return text;
  const scalarStyleRules = [quoteSuspectText, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)];
  const quoted = dump(value ?? null, { ...options, scalarStyleRules });
  return quoted.replace(escaped, (match) => (match === "##" ? "#\\u0023" : escapeOf(match)));
}

/** Whether a printed text may have a suspect value. A text of printable ASCII is recognized in less time. */
function mayBeSuspect(text: string): boolean {
  return /[^\n -~]|##|::/.test(text) && suspectAnywhere.test(text);
}

/** Prints a text in double quotes. YAML and JSON accept the result. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(escaped, (match) => (match === "##" ? "#\\u0023" : escapeUnits(match)));
}

/** Whether a text contains characters to escape, or a command that a CI system would execute. */
export function needsEscapes(text: string): boolean {
  return suspect.test(text);
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/**
 * Escapes each UTF-16 code unit as `\uXXXX`, because JSON has no escape for a whole character beyond U+FFFF. Our YAML
 * reader joins the two escapes of a surrogate pair.
 */
function escapeUnits(match: string): string {
  return Array.from(
    { length: match.length },
    (_, index) => `\\u${match.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
