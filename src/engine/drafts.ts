/** Saves and restores drafts. Each save replaces the whole draft (R51). */

import type { DraftContent, Block } from "../schemas/draft.ts";
import { withSortedMembers } from "../schemas/json.ts";
import type { SavedDraft } from "../schemas/layout.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import { readStored } from "../store/stored-json.ts";
import { readCatalog } from "./catalog.ts";
import { contentOf, layoutOf, readState, toLayoutVersion } from "./layout-records.ts";
import { conflict, invalid } from "./refuse.ts";
import { readStagedChanges, toStagedFieldStates } from "./field-change-impacts.ts";
import { type NewDraft, storeDraft } from "./stored-draft.ts";
import type { Rules, RuleContext } from "./rule.ts";
import type { NewId } from "./ids.ts";

export const draftRules = {
  /**
   * Replaces the draft (R50, R51, R90). An invalid draft is saved, but can't be published. The response lists its
   * problems.
   *
   * @throws ServiceError 400 if a staged field belongs to another scope than the layout
   * @throws ServiceError 409 DRAFT_STALE if the current draft is not `expectedDraftVersionId`. Null expects no draft;
   *   undefined omits the check
   */
  async saveDraft(context, { body }) {
    const { layout } = context;
    const { clientMutationId: _, expectedDraftVersionId, ...content } = body;
    refuseOtherScopes(layout, content);
    // The members are sorted as in the store. The response and its replay are then byte-identical.
    const sorted = withSortedMembers(withIds(content, context.newId));
    return replaceDraft(context, layout, { content: sorted, sourceVersionId: null, expectedDraftVersionId });
  },

  /**
   * Copies the content of a version into the draft (R54). Publishes nothing (R55). If the content shows a deleted
   * field, the restore succeeds, but the new draft is invalid.
   *
   * @throws ServiceError 409 VERSION_IS_DRAFT if the version is the draft itself
   */
  async restoreDraft(context) {
    const { layout, version } = context;
    if (version.status === "DRAFT") {
      throw conflict("VERSION_IS_DRAFT", `the version ${version.id} is the draft and can't be restored`);
    }
    return replaceDraft(context, layout, { content: contentOf(version), sourceVersionId: version.id });
  },
} satisfies Partial<Rules>;

/**
 * Replaces the draft of a layout, and returns the response that reports the new draft.
 *
 * @param to.content the new content, with its members in canonical order
 * @param to.sourceVersionId the version from which the content was copied; null if it was not copied
 * @param to.expectedDraftVersionId see `saveDraft`
 */
async function replaceDraft(
  context: RuleContext,
  before: LayoutRecord,
  { content, sourceVersionId, expectedDraftVersionId }: Pick<NewDraft, "content" | "sourceVersionId"> & Expectation,
): Promise<SavedDraft> {
  const { tx } = context;
  const [state, catalog] = await Promise.all([readState(tx, before.id), readCatalog(tx, before)]);
  const { modes, heads } = state;
  const current = heads.find(({ status }) => status === "DRAFT");
  refuseStale(current?.id ?? null, expectedDraftVersionId);
  const known = { ...catalog, modes };
  const newDraft = { content, modes, known, sourceVersionId };
  const { draft, validation, layout } = await storeDraft(context, before, newDraft, current !== undefined);
  const changes = await readStagedChanges(tx, layout, content, known);
  context.contentHashes.set(draft.id, draft.content_sha256);
  return {
    draftVersionId: draft.id,
    draftVersion: toLayoutVersion(draft, content),
    validation,
    layout: layoutOf(layout, { ...state, heads: [...heads.filter((head) => head !== current), draft] }),
    stagedFieldDefinitions: toStagedFieldStates(changes, validation.errors),
  };
}

type Expectation = { expectedDraftVersionId?: string | null | undefined };

function refuseStale(currentDraftVersionId: string | null, expected: string | null | undefined): void {
  if (expected === undefined || expected === currentDraftVersionId) return;
  const message =
    expected === null
      ? "a draft exists, but the request expects none. Review the current draft, then save again"
      : "the draft was replaced after it was read. Review the current draft, then save again";
  throw conflict("DRAFT_STALE", message, { meta: { currentDraftVersionId } });
}

/** Refuses staged fields of another scope. A layout can show only the custom fields of its target's scope. */
function refuseOtherScopes(layout: LayoutRecord, content: DraftContent): void {
  const scopeId = readStored("layouts.target", layout.target, layout.id).scopeId ?? null;
  const problems = content.stagedFieldDefinitions.flatMap((staged, index) =>
    staged.scopeId == null || staged.scopeId === scopeId
      ? []
      : [
          {
            path: `stagedFieldDefinitions[${index}].scopeId`,
            message:
              scopeId === null
                ? "must be null: the layout has no scope"
                : `must be ${scopeId}, the scope of the layout`,
          },
        ],
  );
  if (problems.length > 0) throw invalid(problems);
}

/**
 * Returns the content with a new id for each block and script binding without an id. Later drafts and diffs can refer
 * to these ids.
 */
export function withIds(content: DraftContent, newId: NewId): DraftContent {
  const blockIds = new Set<string>();
  collectIds(content.blocks, blockIds);
  const bindingIds = new Set(content.scriptBindings.flatMap((binding) => binding.id ?? []));
  return {
    ...content,
    blocks: addBlockIds(content.blocks, () => freshId(() => newId("block"), blockIds)),
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

/** Returns the same list if all blocks have ids. */
function addBlockIds(blocks: Block[], fresh: () => string): Block[] {
  let named: Block[] | undefined;
  for (const [index, block] of blocks.entries()) {
    const id = block.id ?? fresh();
    const children = block.children && addBlockIds(block.children, fresh);
    if (id === block.id && children === block.children) continue;
    named ??= blocks.slice();
    named[index] = { ...block, id, ...(children && { children }) };
  }
  return named ?? blocks;
}

/** Returns a new id that the draft does not use. Clients can choose ids, so a generated id can already be in use. */
function freshId(make: () => string, taken: Set<string>): string {
  let id = make();
  while (taken.has(id)) id = make();
  taken.add(id);
  return id;
}
