/** A value as YAML text. In a file of its own, so that it loads only where YAML is asked for. */

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";
import { HIDDEN } from "../schemas/hidden.ts";

const hiddenButNewline = String.raw`(?!\n)${HIDDEN}|[\uFFFE\uFFFF]`;
const ciCommand = String.raw`##(?=\[|vso\[)`;
/** What is escaped wherever it stands, and what CI logs obey at the start of a line. */
const suspect = new RegExp(String.raw`${hiddenButNewline}|${ciCommand}|^\s*::`, "imu");
const escaped = new RegExp(`${hiddenButNewline}|${ciCommand}`, "giu");

export type YamlStyle = {
  /** `{a: [1]}` on one line, and not a line for each member. */
  flow?: boolean;
  /** `{ a: [1] }` */
  padded?: boolean;
};

/** Text that would have to be escaped, or that CI logs obey, stands between double quotes: nowhere else are there escapes. */
const quoteWhatNeedsEscapes: ScalarStyleRule = (layout) => {
  if (suspect.test(layout.node.value)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};

/**
 * The YAML of a JSON value: in the order of its members, without anchors, each text on one line unless it has several.
 * Members that are undefined are left out, as in JSON.
 */
export function toYaml(value: unknown, { flow, padded }: YamlStyle = {}): string {
  const text = dump(value ?? null, {
    noRefs: true,
    lineWidth: -1,
    skipInvalid: true,
    scalarStyleRules: [quoteWhatNeedsEscapes, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
    ...(flow && { flowLevel: 0 }),
    ...(padded && { flowBracketPadding: true }),
  });
  return text.replace(escaped, escapeHidden);
}

/** A text between double quotes, in YAML and JSON alike. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(escaped, escapeUnits);
}

/** Whether a text can be shown only with escapes, or would be obeyed by a CI log. */
export function needsEscapes(text: string): boolean {
  return suspect.test(text);
}

function escapeHidden(match: string): string {
  return match === "##" ? "#\\u0023" : escapeOf(match);
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** JSON has escapes for code units only, and our reader of YAML joins two of them too. */
function escapeUnits(match: string): string {
  if (match === "##") return "#\\u0023";
  return Array.from(
    { length: match.length },
    (_, index) => `\\u${match.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
