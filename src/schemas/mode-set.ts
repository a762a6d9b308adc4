/** A set of modes in three bits: a draft has one for each block, and they are intersected all the time. */

import { MODES } from "./words.ts";
import type { Mode } from "./form.ts";

export type ModeSet = number;

export const CREATE: ModeSet = 1;
export const VIEW: ModeSet = 2;
export const EDIT: ModeSet = 4;
export const ALL_MODES: ModeSet = CREATE | VIEW | EDIT;

const BIT = { CREATE, VIEW, EDIT } as const satisfies Record<Mode, ModeSet>;

/** A mode that only another server knows has no bit. */
export function modeSet(modes: readonly string[]): ModeSet {
  let set = 0;
  for (const mode of modes) set |= BIT[mode as Mode] ?? 0;
  return set;
}

/** The modes of a set, in the order CREATE, VIEW, EDIT. */
export function modesOf(set: ModeSet): Mode[] {
  return MODES.filter((mode) => set & BIT[mode]);
}
