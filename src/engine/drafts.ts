/** Saving a draft: the whole of it, each time (R51). */

import type { DraftContent, Block } from "../schemas/draft.ts";
import { withSortedMembers } from "../schemas/json.ts";
import type { SavedDraft } from "../schemas/layout.ts";
import { type LayoutRecord, listLayoutModes } from "../store/layouts.ts";
import { readStored } from "../store/stored-json.ts";
import { findDraft } from "../store/versions.ts";
import { knownFor } from "./knowledge.ts";
import { contentOf, readLayout, toLayoutVersion } from "./layout-records.ts";
import { conflict, invalid } from "./refuse.ts";
import { readStagedChanges, toStagedFieldStates } from "./staged-fields.ts";
import { storeDraft } from "./stored-draft.ts";
import type { Rules, RuleContext } from "./rule.ts";
import type { NewId } from "./ids.ts";

export const draftRules = {
  /**
   * Replaces the draft (R50, R51, R90). What is wrong with it is answered, and saved all the same: an invalid draft
   * can't be published, and that is all that it can't.
   *
   * @throws ServiceError 400 when a staged field is for another scope than the layout's; 409 DRAFT_STALE when the draft
   *   is not the one that the caller expects, or there is one where none (null) is expected
   */
  async saveDraft(context, { body }) {
    const { tx, layout } = context;
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
    return replaceDraft(context, layout, withSortedMembers(withIds(content, context.newId)), null);
  },

  /**
   * Copies the content of a version into the draft (R54) and publishes nothing (R55). A field that was deleted since then
   * makes the draft invalid, and does not prevent the restore.
   *
   * @throws ServiceError 409 VERSION_IS_DRAFT when the version is the draft itself
   */
  async restoreDraft(context) {
    const { layout, version } = context;
    if (version.status === "DRAFT") {
      throw conflict("VERSION_IS_DRAFT", `the version ${version.id} is the draft and can't be restored`);
    }
    return replaceDraft(context, layout, contentOf(version), version.id);
  },
} satisfies Partial<Rules>;

/**
 * Puts `content` in the place of the draft, and answers what became of it.
 *
 * @param content with its members in the order in which it is kept
 * @param sourceVersionId the version that the content was copied from
 */
export async function replaceDraft(
  { tx, ...context }: RuleContext,
  before: LayoutRecord,
  content: DraftContent,
  sourceVersionId: string | null,
): Promise<SavedDraft> {
  const modes = await listLayoutModes(tx, before);
  const known = await knownFor(tx, before, modes);
  const newDraft = { content, modes, known, sourceVersionId };
  const { draft, validation, layout } = await storeDraft({ tx, ...context }, before, newDraft);
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
  const scopeId = readStored("layouts.target", layout.target, layout.id).scopeId ?? null;
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

/** The same content, everything kept as it was given, with an id on each block and each script binding. */
export function withIds(content: DraftContent, newId: NewId): DraftContent {
  const blockIds = new Set<string>();
  collectIds(content.blocks, blockIds);
  const bindingIds = new Set(content.scriptBindings.flatMap((binding) => binding.id ?? []));
  return {
    ...content,
    blocks: nameBlocks(content.blocks, () => freshId(() => newId("block"), blockIds)),
    scriptBindings: content.scriptBindings.map((binding) => ({
      ...binding,
      id: binding.id ?? freshId(() => newId("binding"), bindingIds),
    })),
  };
}

function collectIds(blocks: readonly Block[], ids: Set<string>): void {
  for (const block of blocks) {
    if (block.id !== undefined) ids.add(block.id);
    if (block.children) collectIds(block.children, ids);
  }
}

function nameBlocks(blocks: readonly Block[], fresh: () => string): Block[] {
  return blocks.map((block) => {
    const named = { ...block, id: block.id ?? fresh() };
    return block.children ? { ...named, children: nameBlocks(block.children, fresh) } : named;
  });
}

/** An id that the draft does not have yet: callers choose their ids freely, so that ours could meet one of them. */
function freshId(make: () => string, taken: Set<string>): string {
  let id = make();
  while (taken.has(id)) id = make();
  taken.add(id);
  return id;
}
