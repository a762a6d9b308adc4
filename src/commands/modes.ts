/** Parses modes on the command line: `VIEW,EDIT`, in upper or lower case. */

import { FormctlError } from "../base/error.ts";
import { type Mode, MODES } from "../schemas/words.ts";
import { nearest } from "../base/nearest.ts";

/** Parses one mode. @throws INVALID_VALUE for an unknown mode */
export function parseMode(text: string): Mode {
  const word = text.trim().toUpperCase();
  const mode = MODES.find((each) => each === word);
  if (mode) return mode;
  const near = nearest(word, MODES);
  throw new FormctlError(
    "INVALID_VALUE",
    `unknown mode "${text}"`,
    near ? `Did you mean ${near}?` : `Valid modes: ${MODES.join(", ")}`,
  );
}

/** Parses modes separated by commas or spaces. @throws INVALID_VALUE if a mode is unknown, or there is none */
export function parseModes(text: string): Mode[] {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) {
    throw new FormctlError("INVALID_VALUE", "no mode specified", `Specify at least one of ${MODES.join(", ")}.`);
  }
  return words.map(parseMode);
}

/**
 * Returns the modes of a repeatable option; undefined if the option is absent.
 *
 * @throws USAGE if a mode is repeated (R16)
 */
export function modesOf(lists: readonly (readonly Mode[])[]): Mode[] | undefined {
  if (lists.length === 0) return undefined;
  const modes = lists.flat();
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (twice) throw new FormctlError("USAGE", `${twice} is specified twice`, "Specify each mode once.");
  return modes;
}
