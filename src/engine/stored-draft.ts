/** Puts a draft in the place of the one before, and says what is wrong with it. */

import { sha256 } from "../sha256.ts";
import { type Validation, toValidation } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Known } from "../schemas/draft-known.ts";
import type { Mode } from "../schemas/form.ts";
import { canonicalJson } from "../schemas/json.ts";
import { type LayoutRecord, touchLayout } from "../store/layouts.ts";
import { deleteDraft, insertDraft, type VersionRecord } from "../store/versions.ts";
import type { World } from "./world.ts";

/** A content as a version's row holds it. */
export function storedContent(content: DraftContent): Pick<VersionRecord, "content" | "content_sha256"> {
  const text = canonicalJson(content);
  return { content: text, content_sha256: sha256(text) };
}

/** A verdict as a version's row holds it. */
export function storedValidation(validation: Validation): Pick<VersionRecord, "state" | "validation"> {
  return { state: validation.state, validation: JSON.stringify(validation) };
}

export type NewDraft = {
  content: DraftContent;
  modes: readonly Mode[];
  known: Known;
  /** The version that the content was copied from. */
  sourceVersionId: string | null;
};

export type StoredDraft = { draft: VersionRecord; validation: Validation };

/** Stores the first draft of a layout whose `last_version` counts it already. */
export async function storeFirstDraft(world: World, layout: LayoutRecord, draft: NewDraft): Promise<StoredDraft> {
  const stored = checked(world, layout, draft);
  await insertDraft(world.tx, stored.draft);
  return stored;
}

/**
 * Replaces the layout's draft, if it has one, by a new version record under a new id (R50, R51): whoever still holds
 * the old id can neither publish nor overwrite what he has not seen. The number stays the same until it is published.
 *
 * @returns the draft, and the layout as it is now
 */
export async function storeDraft(
  world: World,
  before: LayoutRecord,
  draft: NewDraft,
): Promise<StoredDraft & { layout: LayoutRecord }> {
  const hadDraft = await deleteDraft(world.tx, before.id);
  const number = hadDraft ? before.last_version : before.last_version + 1;
  const layout = { ...before, last_version: number, updated_at: world.now };
  const stored = checked(world, layout, draft);
  await insertDraft(world.tx, stored.draft);
  await touchLayout(world.tx, layout);
  return { ...stored, layout };
}

function checked(
  world: World,
  layout: LayoutRecord,
  { content, modes, known, sourceVersionId }: NewDraft,
): StoredDraft {
  const validation = toValidation(checkDraft(content, known));
  const draft: VersionRecord = {
    id: world.newId("version"),
    org_id: layout.org_id,
    layout_id: layout.id,
    number: layout.last_version,
    status: "DRAFT",
    supported_modes: JSON.stringify(modes),
    ...storedContent(content),
    ...storedValidation(validation),
    source_version_id: sourceVersionId,
    created_at: world.now,
    published_at: null,
  };
  return { draft, validation };
}
