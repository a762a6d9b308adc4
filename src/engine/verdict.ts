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

/** Checks a version's content again for each of its modes. Its staged fields were carried out when it was published. */
export function judgeContent(content: DraftContent, modes: readonly Mode[], known: Known): Verdict {
  const live = { ...content, stagedFieldDefinitions: [] };
  const errors: Verdict["errors"] = {};
  for (const mode of modes) {
    const found = checkDraft(contentOfMode(live, mode, [mode]), { ...known, modes: [mode] });
    const error = found.find((diagnostic) => diagnostic.severity === "error");
    if (error) errors[mode] = error.message;
  }
  return { errors, working: workingModes(live, modes, known.fields) };
}
