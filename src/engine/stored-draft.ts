/** Validates and stores drafts. */

import { sha256 } from "../base/sha256.ts";
import { type Validation, toValidation } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Mode } from "../schemas/form.ts";
import { canonicalJson } from "../schemas/json.ts";
import { type LayoutRecord, touchLayout } from "../store/layouts.ts";
import { deleteDraft, insertDraft, type VersionRecord } from "../store/versions.ts";
import type { RuleContext } from "./rule.ts";

export function storedContent(content: DraftContent): Pick<VersionRecord, "content" | "content_sha256"> {
  const text = canonicalJson(content);
  return { content: text, content_sha256: sha256(text) };
}

export function storedValidation(validation: Validation): Pick<VersionRecord, "state" | "validation"> {
  return { state: validation.state, validation: JSON.stringify(validation) };
}

export type NewDraft = {
  content: DraftContent;
  modes: readonly Mode[];
  known: LayoutCatalog;
  /** The version from which the content was copied; null if it was not copied. */
  sourceVersionId: string | null;
};

export type StoredDraft = { draft: VersionRecord; validation: Validation };

/** Stores the first draft of a new layout. The `last_version` of the layout is already the number of this draft. */
export async function storeFirstDraft(
  context: RuleContext,
  layout: LayoutRecord,
  draft: NewDraft,
): Promise<StoredDraft> {
  const stored = validatedDraft(context, layout, draft);
  await insertDraft(context.tx, stored.draft);
  return stored;
}

/**
 * Stores a draft with a new id, and deletes the previous draft (R50, R51). Because the id is new, a request to publish
 * the previous draft is refused. The new draft has the version number of the previous draft. Without a previous draft,
 * it has the next number.
 *
 * @param hadDraft whether the layout has a draft
 * @returns the draft and the updated layout
 */
export async function storeDraft(
  context: RuleContext,
  before: LayoutRecord,
  draft: NewDraft,
  hadDraft: boolean,
): Promise<StoredDraft & { layout: LayoutRecord }> {
  if (hadDraft) await deleteDraft(context.tx, before.id);
  const number = hadDraft ? before.last_version : before.last_version + 1;
  const layout = { ...before, last_version: number, updated_at: context.now };
  const stored = validatedDraft(context, layout, draft);
  await insertDraft(context.tx, stored.draft);
  await touchLayout(context.tx, layout);
  return { ...stored, layout };
}

function validatedDraft(
  context: RuleContext,
  layout: LayoutRecord,
  { content, modes, known, sourceVersionId }: NewDraft,
): StoredDraft {
  const validation = toValidation(checkDraft(content, known));
  const draft: VersionRecord = {
    id: context.newId("version"),
    org_id: layout.org_id,
    layout_id: layout.id,
    number: layout.last_version,
    status: "DRAFT",
    supported_modes: JSON.stringify(modes),
    ...storedContent(content),
    ...storedValidation(validation),
    source_version_id: sourceVersionId,
    created_at: context.now,
    published_at: null,
  };
  return { draft, validation };
}
