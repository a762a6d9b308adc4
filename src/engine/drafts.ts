/** Saving a draft: the whole of it, each time (R51). */

import type { DraftContent } from "../schemas/draft.ts";
import { withSortedMembers } from "../schemas/json.ts";
import type { SavedDraft, Target } from "../schemas/layout.ts";
import { type LayoutRecord, listLayoutModes } from "../store/layouts.ts";
import { readStored } from "../store/stored-json.ts";
import { findDraft } from "../store/versions.ts";
import { withIds } from "./draft-ids.ts";
import { knownFor } from "./knowledge.ts";
import { readLayout, toLayoutVersion } from "./layout-records.ts";
import { conflict, invalid } from "./refuse.ts";
import { readStagedChanges, toStagedFieldStates } from "./staged-fields.ts";
import { storeDraft } from "./stored-draft.ts";
import type { Rules, World } from "./world.ts";

export const draftRules = {
  /**
   * Replaces the draft (R50, R51, R90). What is wrong with it is answered, and saved all the same: an invalid draft
   * can't be published, and that is all that it can't.
   *
   * @throws ServiceError 400 when a staged field is for another scope than the layout's; 409 DRAFT_STALE when the draft
   *   is not the one that the caller expects, or there is one where none (null) is expected
   */
  async saveDraft(world, { body }) {
    const { tx, layout } = world;
    const { clientMutationId: _, expectedDraftVersionId, ...content } = body;
    refuseOtherScopes(layout, content);
    if (expectedDraftVersionId !== undefined) {
      const currentDraftVersionId = (await findDraft(tx, layout.id))?.id ?? null;
      if (currentDraftVersionId !== expectedDraftVersionId) {
        const message =
          expectedDraftVersionId === null
            ? "there is a draft, and you expect none; look at it, then save again"
            : "the draft is not the one that you started from; look at the present one, then save again";
        throw conflict("DRAFT_STALE", message, { meta: { currentDraftVersionId } });
      }
    }
    // As it is kept, and not as it came: the answer, and each time that it is given again, are the same to the letter.
    return replaceDraft(world, layout, withSortedMembers(withIds(content, world.newId)), null);
  },
} satisfies Partial<Rules>;

/**
 * Puts `content` in the place of the draft, and answers what became of it.
 *
 * @param content with its members in the order in which it is kept
 * @param sourceVersionId the version that the content was copied from
 */
export async function replaceDraft(
  { tx, ...world }: World,
  before: LayoutRecord,
  content: DraftContent,
  sourceVersionId: string | null,
): Promise<SavedDraft> {
  const modes = await listLayoutModes(tx, before);
  const known = await knownFor(tx, before, modes);
  const newDraft = { content, modes, known, sourceVersionId };
  const { draft, validation, layout } = await storeDraft({ tx, ...world }, before, newDraft);
  const changes = await readStagedChanges(tx, layout, content, known);
  return {
    draftVersionId: draft.id,
    draftVersion: toLayoutVersion(draft, content),
    validation,
    layout: await readLayout(tx, layout, modes),
    stagedFieldDefinitions: toStagedFieldStates(changes, validation.errors),
  };
}

/** Custom fields belong to the scope of the layout's target: one that is staged for another would never be shown here. */
function refuseOtherScopes(layout: LayoutRecord, content: DraftContent): void {
  const scopeId = readStored<Target>("layouts.target", layout.target, layout.id).scopeId ?? null;
  const problems = content.stagedFieldDefinitions.flatMap((staged, index) =>
    staged.scopeId == null || staged.scopeId === scopeId
      ? []
      : [
          {
            path: `stagedFieldDefinitions[${index}].scopeId`,
            message: scopeId === null ? "must be null: the layout has no scope" : `must be the layout's: ${scopeId}`,
          },
        ],
  );
  if (problems.length > 0) throw invalid(problems);
}
