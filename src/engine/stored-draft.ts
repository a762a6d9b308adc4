/** Validates and stores drafts. */

import { sha256 } from "../sha256.ts";
import { type Validation, toValidation } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Mode } from "../schemas/form.ts";
import { canonicalJson, detached, isCanonicalList, sameJson } from "../schemas/json.ts";
import { type LayoutRecord, touchLayout } from "../store/layouts.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";
import { deleteDraft, insertDraft, type VersionRecord } from "../store/versions.ts";
import { contentOf } from "./layout-records.ts";
import type { RuleContext } from "./rule.ts";

export function storedContent(content: DraftContent): Pick<VersionRecord, "content" | "content_sha256"> {
  const text = canonicalJson(content);
  return { content: text, content_sha256: sha256(text) };
}

export function storedValidation(validation: Validation): Pick<VersionRecord, "state" | "validation"> {
  return { state: validation.state, validation: JSON.stringify(validation) };
}

/** The number of contents that are kept, and the maximum length of their texts. */
const MAX_KEPT = 128;
const MAX_KEPT_LENGTH = 65_536;

/** A content, and the JSON text of its validation with a catalog. */
type Checked = { content: DraftContent; known: LayoutCatalog; validation: string };

/** Returns the contents that {@link keepChecked} keeps, by the id of the draft and the hash of its text. */
function keptContents({ cache }: OrgTx): Map<string, Checked> {
  const kept = (cache.get("checked drafts") as Map<string, Checked> | undefined) ?? new Map<string, Checked>();
  cache.set("checked drafts", kept);
  return kept;
}

/** Keeps the content of a saved draft for the publication that usually follows, unless the caller may change it. */
function keepChecked(tx: OrgTx, draft: VersionRecord, { content, known }: NewDraft): void {
  const { blocks, ...members } = content;
  if (!isCanonicalList(blocks) || draft.content.length > MAX_KEPT_LENGTH) return;
  const kept = keptContents(tx);
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
  const { validation } = draft;
  kept.set(keyOf(draft), { content: { ...detached(members), blocks }, known, validation });
}

/**
 * Parses and checks the content of a draft, whose text was compared with its hash. Does neither again if the draft was
 * saved just before, and the catalog is still the same.
 */
export function checkStored(
  tx: OrgTx,
  draft: VersionRecord,
  known: LayoutCatalog,
): { content: DraftContent; validation: Validation } {
  const contents = keptContents(tx);
  const kept = contents.get(keyOf(draft));
  contents.delete(keyOf(draft));
  // The response contains the content, so its list of blocks must be one that the caller may change.
  const content = kept ? { ...kept.content, blocks: kept.content.blocks.slice() } : contentOf(draft);
  const validation =
    kept && isSameCatalog(kept.known, known)
      ? readStored("layout_versions.validation", kept.validation, draft.id)
      : toValidation(checkDraft(content, known));
  return { content, validation };
}

function keyOf({ id, content_sha256: hash }: VersionRecord): string {
  return `${id} ${hash}`;
}

/** Whether two catalogs have the same members. The fields of an object are one list until one of them changes. */
function isSameCatalog(one: LayoutCatalog, other: LayoutCatalog): boolean {
  const areSame = one.surface === other.surface && one.fields === other.fields;
  return areSame && sameJson([one.modes, one.scripts], [other.modes, other.scripts]);
}

export type NewDraft = {
  content: DraftContent;
  modes: readonly Mode[];
  known: LayoutCatalog;
  /** The version from which the content was copied; null if it was not copied. */
  sourceVersionId: string | null;
};

export type StoredDraft = { draft: VersionRecord; validation: Validation };

/** Stores the first draft of a new layout. The `last_version` of the layout already includes this draft. */
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
 * Stores a draft with a new id, and deletes the previous draft, if any (R50, R51). Because the id is new, a request to
 * publish the previous draft is refused. The new draft has the version number of the previous draft.
 *
 * @returns the draft and the updated layout
 */
export async function storeDraft(
  context: RuleContext,
  before: LayoutRecord,
  draft: NewDraft,
): Promise<StoredDraft & { layout: LayoutRecord }> {
  const hadDraft = await deleteDraft(context.tx, before.id);
  const number = hadDraft ? before.last_version : before.last_version + 1;
  const layout = { ...before, last_version: number, updated_at: context.now };
  const stored = validatedDraft(context, layout, draft);
  await insertDraft(context.tx, stored.draft);
  await touchLayout(context.tx, layout);
  keepChecked(context.tx, stored.draft, draft);
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
