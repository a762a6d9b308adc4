/**
 * Determines in which modes a published version works with the current fields of its object (docs/decisions.md,
 * "Availability").
 */

import { checkDraft } from "../schemas/draft-checks.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import { contentOfMode, workingModes } from "../schemas/draft-modes.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Mode } from "../schemas/form.ts";

export type Verdict = {
  /** The first error of each mode in which the content no longer matches the fields of the object. */
  errors: Partial<Record<Mode, string>>;
  /** The modes that show content (VIEW) or have inputs (CREATE, EDIT). */
  working: Mode[];
};

/**
 * Checks the content of a published version for all modes at once. If the check finds an error, checks each mode alone,
 * to find the invalid modes. Staged fields are ignored, because the publish applied them.
 */
export function checkContent(content: DraftContent, modes: readonly Mode[], known: LayoutCatalog): Verdict {
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

/** Returns the verdict on content that has no staged fields and no errors. */
export function validVerdict(content: DraftContent, modes: readonly Mode[], { fields }: LayoutCatalog): Verdict {
  return { errors: {}, working: workingModes(content, modes, fields) };
}

function firstError(content: DraftContent, known: LayoutCatalog): string | undefined {
  return checkDraft(content, known).find(({ severity }) => severity === "error")?.message;
}
