/** Modes on the command line: `VIEW,EDIT`, in any case. */

import { type Mode, MODES } from "../schemas/words.ts";
import { nearest } from "../schemas/nearest.ts";
import { InvalidValue } from "./command.ts";

/** @throws InvalidValue for an unknown mode */
export function parseMode(text: string): Mode {
  const word = text.trim().toUpperCase();
  const mode = MODES.find((each) => each === word);
  if (mode) return mode;
  const near = nearest(word, MODES);
  throw new InvalidValue(`unknown mode "${text}"`, near ? `Did you mean ${near}?` : `Valid modes: ${MODES.join(", ")}`);
}

/** Modes separated by commas or spaces. @throws InvalidValue for an unknown mode, or when there is none */
export function parseModes(text: string): Mode[] {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) {
    throw new InvalidValue("no mode specified", `Specify at least one of ${MODES.join(", ")}.`);
  }
  return words.map(parseMode);
}

/**
 * The modes of a repeatable option; undefined when the option is absent.
 *
 * @throws InvalidValue when a mode is repeated (R16)
 */
export function modesOf(lists: readonly (readonly Mode[])[]): Mode[] | undefined {
  if (lists.length === 0) return undefined;
  const modes = lists.flat();
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (twice) throw new InvalidValue(`${twice} is specified twice`, "Specify each mode once.");
  return modes;
}

/** Reads the modes that a user typed at a prompt. */
export const readTypedModes = (text: string): Mode[] => modesOf([parseModes(text)]) ?? [];

/** Turns a check that throws InvalidValue into the `validate` function of a prompt. */
export function promptCheck(check: (text: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      check(answer);
      return undefined;
    } catch (error) {
      if (error instanceof InvalidValue) return [error.message, error.hint].filter(Boolean).join(". ");
      throw error;
    }
  };
}
