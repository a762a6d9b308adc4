/** Prints a value as YAML. It is a module of its own, so that commands that only print YAML load no more. */

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";
import { HIDDEN } from "../hidden-characters.ts";

const hiddenButNewline = String.raw`(?!\n)${HIDDEN}|[\uFFFE\uFFFF]`;
const ciCommand = String.raw`##(?=\[|vso\[)`;
/** Characters to escape, and commands that CI logs execute. */
const suspect = new RegExp(String.raw`${hiddenButNewline}|${ciCommand}|^\s*::`, "imu");
const escaped = new RegExp(`${hiddenButNewline}|${ciCommand}`, "giu");

export type YamlOptions = {
  /** `{a: [1]}` on one line, instead of a line for each member. */
  flow?: boolean;
  /** `{ a: [1] }` */
  padded?: boolean;
};

/** Only double-quoted scalars can contain escapes. */
const quoteSuspectText: ScalarStyleRule = (layout) => {
  if (suspect.test(layout.node.value)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

/**
 * A JSON value as YAML: members in their order, without anchors, without folded lines. Undefined members are left out, as
 * in JSON.
 */
export function toYaml(value: unknown, { flow, padded }: YamlOptions = {}): string {
  const text = dump(value ?? null, {
    noRefs: true,
    lineWidth: -1,
    skipInvalid: true,
    scalarStyleRules: [quoteSuspectText, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
    ...(flow && { flowLevel: 0 }),
    ...(padded && { flowBracketPadding: true }),
  });
  return text.replace(escaped, (match) => (match === "##" ? "#\\u0023" : escapeOf(match)));
}

/** A text in double quotes, valid in YAML and in JSON. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(escaped, (match) => (match === "##" ? "#\\u0023" : escapeUnits(match)));
}

/** Whether printing a text needs escapes, or a CI log would execute it. */
export function needsEscapes(text: string): boolean {
  return suspect.test(text);
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** JSON has escapes for code units only; our YAML reader joins a pair of them too. */
function escapeUnits(match: string): string {
  return Array.from(
    { length: match.length },
    (_, index) => `\\u${match.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
