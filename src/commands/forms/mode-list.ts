/** Modes that the user types, `VIEW,EDIT` in any case, or selects. */

import { FormctlError } from "../../error.ts";
import { MODES } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import { nearest } from "../../schemas/nearest.ts";
import type { Prompter } from "../../terminal/prompter.ts";

/** @throws INVALID_VALUE for a word that is no mode */
export function parseMode(text: string): Mode {
  const word = text.trim().toUpperCase();
  const mode = MODES.find((each) => each === word);
  if (mode) return mode;
  const near = nearest(word, MODES);
  throw new FormctlError(
    "INVALID_VALUE",
    `"${text}" is not a mode`,
    near ? `Did you mean ${near}?` : `The modes are ${MODES.join(", ")}.`,
  );
}

/** Modes with commas or spaces between them. @throws INVALID_VALUE for a word that is no mode, or when there is none */
export function parseModes(text: string): Mode[] {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) {
    throw new FormctlError("INVALID_VALUE", "no mode is named", `Name at least one of ${MODES.join(", ")}.`);
  }
  return words.map(parseMode);
}

/**
 * The modes of an option that may be typed several times; undefined when it was not typed.
 *
 * @throws INVALID_VALUE when a mode is named twice (R16)
 */
export function modesOf(lists: readonly (readonly Mode[])[]): Mode[] | undefined {
  if (lists.length === 0) return undefined;
  const modes = lists.flat();
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (twice) throw new FormctlError("INVALID_VALUE", `${twice} is named twice`, "Name each mode once.");
  return modes;
}

/** Prompts for the modes of a form or layout. */
export async function selectModes(prompter: Prompter): Promise<Mode[]> {
  const choices = MODES.map((mode) => ({ name: mode, value: mode }));
  return (await prompter.checkbox("Modes:", choices)).map(parseMode);
}
