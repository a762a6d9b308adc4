/** Puts a draft in the place of the one before, and says what is wrong with it. */

import { createHash } from "node:crypto";
import { type Validation, toValidation } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Known } from "../schemas/draft-known.ts";
import type { Mode } from "../schemas/form.ts";
import { canonicalJson } from "../schemas/json.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import { deleteDraft, insertDraft, type VersionRecord } from "../store/versions.ts";
import type { World } from "./world.ts";

/** A content as a version's row holds it. */
export function storedContent(content: DraftContent): Pick<VersionRecord, "content" | "content_sha256"> {
  const text = canonicalJson(content);
  return { content: text, content_sha256: createHash("sha256").update(text).digest("hex") };
}

/** A verdict as a version's row holds it. */
export function storedValidation(validation: Validation): Pick<VersionRecord, "state" | "validation"> {
  return { state: validation.state, validation: JSON.stringify(validation) };
}

/**
 * Replaces the layout's draft, if it has one, by a new version record under a new id (R50, R51): whoever still holds
 * the old id can neither publish nor overwrite what he has not seen. The number stays: it is the next to be published.
 */
export async function storeDraft(
  world: World,
  layout: LayoutRecord,
  draft: { content: DraftContent; modes: readonly Mode[]; known: Known; sourceVersionId: string | null },
): Promise<{ draft: VersionRecord; validation: Validation }> {
  const validation = toValidation(checkDraft(draft.content, draft.known));
  const record: VersionRecord = {
    id: world.newId("version"),
    org_id: layout.org_id,
    layout_id: layout.id,
    number: layout.last_version + 1,
    status: "DRAFT",
    supported_modes: JSON.stringify(draft.modes),
    ...storedContent(draft.content),
    ...storedValidation(validation),
    source_version_id: draft.sourceVersionId,
    created_at: world.now,
    published_at: null,
  };
  await deleteDraft(world.tx, layout.id);
  await insertDraft(world.tx, record);
  return { draft: record, validation };
}
