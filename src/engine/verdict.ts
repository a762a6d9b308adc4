/** What a published version is good for, mode by mode, with the fields that the object has (docs/decisions.md, "Availability"). */

import { checkDraft } from "../schemas/draft-checks.ts";
import type { Known } from "../schemas/draft-known.ts";
import { contentOfMode, workingModes } from "../schemas/draft-modes.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Mode } from "../schemas/form.ts";

export type Verdict = {
  /** The first error of each mode that has any: the content no longer fits the object. */
  errors: Partial<Record<Mode, string>>;
  /** The modes in which something can be seen, or entered and saved. */
  working: Mode[];
};

/** A verdict, and the numbers that the object's fields and the checks had: with others it says nothing. */
export type StoredVerdict = Verdict & { fieldsVersion: number; checks: number };

/**
 * Checks a version's content again, as a whole and then for each of its modes: what has no error as a whole has none in any
 * of them. Its staged fields were carried out when it was published.
 */
export function checkContent(content: DraftContent, modes: readonly Mode[], known: Known): Verdict {
  const live = { ...content, stagedFieldDefinitions: [] };
  const sound = validVerdict(live, modes, known);
  if (firstError(live, { ...known, modes }) === undefined) return sound;
  const errors: Verdict["errors"] = {};
  for (const mode of modes) {
    const error = firstError(contentOfMode(live, mode, [mode]), { ...known, modes: [mode] });
    if (error !== undefined) errors[mode] = error;
  }
  return { ...sound, errors };
}

/** The verdict on a content without staged fields that was checked just now, and has no error. */
export function validVerdict(content: DraftContent, modes: readonly Mode[], { fields }: Known): Verdict {
  return { errors: {}, working: workingModes(content, modes, fields) };
}

function firstError(content: DraftContent, known: Known): string | undefined {
  return checkDraft(content, known).find(({ severity }) => severity === "error")?.message;
}
