/** Staged changes that were made when the manifest was applied before: it may go on saying them, and nothing is wrong with that. */

import type { Diagnostic } from "../../schemas/diagnostic.ts";
import type { Known } from "../../schemas/draft-known.ts";
import type { DraftContent } from "../../schemas/draft.ts";

/** Whether a complaint is only that a staged change has been made: the field is there as it would be, or is gone. */
export function isCarriedOut({ code, path }: Diagnostic, content: DraftContent, { fields = [] }: Known): boolean {
  if (code !== "STAGED_KEY_TAKEN" && code !== "STAGED_TARGET_UNKNOWN") return false;
  const index = /^stagedFieldDefinitions\[(\d+)\]/.exec(path ?? "")?.[1];
  const staged = content.stagedFieldDefinitions[Number(index)];
  if (code === "STAGED_TARGET_UNKNOWN") return staged?.action === "delete" || staged?.action === "unlink";
  return fields.some(({ key, type }) => key === staged?.key && type === staged.type);
}
