/** Queries for versions of layouts: one draft, one published version, and archived versions. */

import sql, { raw, type Sql } from "sql-template-tag";
import { sha256 } from "../base/sha256.ts";
import { selectByIds } from "./id-lists.ts";
import { corruptRow, corruptRecord, hashedColumns, hashOf, recordHash, verifyRecords } from "./record-hash.ts";
import type { OrgTx } from "./store.ts";

/** A version without its content, which can be megabytes long. */
export type VersionHead = {
  id: string;
  org_id: string;
  layout_id: string;
  /**
   * The number within the layout: 1, 2, 3 … The draft has the highest number. A new draft takes over the number of the
   * old draft.
   */
  number: number;
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  /** JSON text: the modes of the layout when this version was saved or published. */
  supported_modes: string;
  /** The hexadecimal SHA-256 of the content. The content is found by this hash. */
  content_sha256: string;
  state: "valid" | "valid_with_warnings" | "invalid";
  /** JSON text of a Validation. */
  validation: string;
  source_version_id: string | null;
  created_at: string;
  published_at: string | null;
};

export type VersionRecord = VersionHead & {
  /** Canonical JSON text of a DraftContent. */
  content: string;
};

const headColumns = raw(`${hashedColumns("layout_versions")}, status, record_hash`);
const columns = raw(`${headColumns.sql}, content`);

/**
 * Versions with their contents. With LEFT JOIN, a version without its content is found, and counts as damaged. Each use
 * has a name, which PostgreSQL requires before version 16.
 */
const versions = sql`
  (SELECT v.*, c.content FROM layout_versions v
   LEFT JOIN layout_contents c ON c.org_id = v.org_id AND c.layout_id = v.layout_id AND c.sha256 = v.content_sha256)`;

export async function findVersion(tx: OrgTx, layoutId: string, versionId: string): Promise<VersionRecord | undefined> {
  const found = await tx.first<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} v WHERE org_id = ${tx.orgId} AND id = ${versionId} AND layout_id = ${layoutId}`);
  return found && verifyVersions([found], { id: versionId, layout_id: layoutId })[0];
}

export async function findDraft(tx: OrgTx, layoutId: string): Promise<VersionRecord | undefined> {
  const found = await tx.first<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} v WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId} AND status = 'DRAFT'`);
  return found && verifyVersions([found], { layout_id: layoutId, status: "DRAFT" })[0];
}

/**
 * Lists the versions of a layout: first the draft, then the other versions, newest first. Reads all with one query: on a
 * database on another machine, several queries would be several round trips.
 */
export async function listVersions(tx: OrgTx, layoutId: string): Promise<VersionRecord[]> {
  const found = await tx.all<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} v WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId} ORDER BY number DESC`);
  return verifyVersions(found, { layout_id: layoutId });
}

/** Returns the draft and the published version of a layout, if any. */
export async function listCurrentHeads(tx: OrgTx, layoutId: string): Promise<VersionHead[]> {
  const found = await tx.all<VersionHead>(sql`
    SELECT ${headColumns} FROM layout_versions WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId} AND status <> 'ARCHIVED'`);
  return verifyHeads(found, { layout_id: layoutId });
}

/** A published version with its stored verdict (engine/verdict.ts). The verdict is JSON text, or null. */
export type PublishedHead = VersionHead & { verdict: string | null };

/** @throws StoreError STORE_CORRUPT when the version or its verdict is damaged */
export function verifyPublished(head: PublishedHead & { verdict_hash: string | null }): PublishedHead {
  const { id, verdict, verdict_hash } = head;
  if (verdict !== null && verdict_hash !== hashOf([id, verdict])) throw corruptRow("layout_versions", id);
  return verifyHeads([head], { status: "PUBLISHED" })[0]!;
}

export async function listContents(
  tx: OrgTx,
  versionIds: readonly string[],
): Promise<Pick<VersionRecord, "id" | "content">[]> {
  const found = await selectByIds<VersionRecord>(
    tx,
    versionIds,
    (ids) => sql`SELECT ${columns} FROM ${versions} v WHERE org_id = ${tx.orgId} AND id IN (${ids})`,
  );
  return verifyVersions(found);
}

/** Lists the published versions of the layouts `l` that match a condition, oldest layout first. */
export async function listPublishedOf(tx: OrgTx, condition: Sql): Promise<VersionRecord[]> {
  const found = await tx.all<VersionRecord>(sql`
    SELECT v.* FROM layouts l JOIN ${versions} v ON v.org_id = l.org_id AND v.layout_id = l.id
    WHERE ${condition} AND v.status = 'PUBLISHED' ORDER BY l.created_at, l.id`);
  return verifyVersions(found, { status: "PUBLISHED" });
}

const STATUSES: ReadonlySet<string> = new Set(["DRAFT", "PUBLISHED", "ARCHIVED"] satisfies VersionHead["status"][]);

/**
 * Compares each version with its hash. Also compares the columns in `asked` with the values of the query.
 *
 * @throws StoreError STORE_CORRUPT when a version is damaged
 */
export function verifyHeads<Head extends VersionHead>(
  heads: readonly Head[],
  asked?: Readonly<Record<string, string>>,
): Head[] {
  // The hash of a record excludes its status, which is updated separately.
  const unknown = heads.find(({ status }) => !STATUSES.has(status));
  if (unknown) throw corruptRow("layout_versions", unknown.id);
  return verifyRecords("layout_versions", heads, asked);
}

/** Same as {@link verifyHeads}, but also compares each content with its hash. */
function verifyVersions(found: readonly VersionRecord[], asked?: Readonly<Record<string, string>>): VersionRecord[] {
  for (const { id, content, content_sha256 } of verifyHeads(found, asked)) requireContent(content, content_sha256, id);
  return [...found];
}

/** @throws StoreError STORE_CORRUPT when the content is missing or does not match its hash */
export function requireContent(content: string | null, hash: string, id: string): asserts content is string {
  if (typeof content !== "string" || sha256(content) !== hash) throw corruptRecord(`the content of ${id}`);
}

export async function insertDraft(tx: OrgTx, draft: VersionRecord): Promise<void> {
  await insertContent(tx, draft);
  await tx.write(sql`
    INSERT INTO layout_versions
      (id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation,
       source_version_id, created_at, published_at, record_hash)
    VALUES (${draft.id}, ${draft.org_id}, ${draft.layout_id}, ${draft.number}, 'DRAFT', ${draft.supported_modes},
            ${draft.content_sha256}, ${draft.state}, ${draft.validation},
            ${draft.source_version_id}, ${draft.created_at}, NULL, ${recordHash("layout_versions", draft)})`);
}

/** Stores the content of a version, unless the layout already has it. */
export async function insertContent(tx: OrgTx, version: VersionRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO layout_contents (layout_id, org_id, sha256, content)
    VALUES (${version.layout_id}, ${version.org_id}, ${version.content_sha256}, ${version.content})
    ON CONFLICT DO NOTHING`);
}

export async function deleteDraft(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`
    DELETE FROM layout_versions WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId} AND status = 'DRAFT'`);
}

/** Updates the validation of a draft, unless the draft was replaced or published meanwhile. */
export async function updateDraftValidation(
  tx: OrgTx,
  draft: VersionHead,
  { state, validation }: Pick<VersionHead, "state" | "validation">,
): Promise<void> {
  await tx.write(sql`
    UPDATE layout_versions
    SET state = ${state}, validation = ${validation},
        record_hash = ${recordHash("layout_versions", { ...draft, state, validation })}
    WHERE org_id = ${tx.orgId} AND id = ${draft.id} AND status = 'DRAFT'`);
}

/** Archives the published version. Call this function before the next version is published. */
export async function archivePublished(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`
    UPDATE layout_versions SET status = 'ARCHIVED'
    WHERE org_id = ${tx.orgId} AND layout_id = ${layoutId} AND status = 'PUBLISHED'`);
}

/** Turns the draft into the published version with the same id (R52). Its content must already be stored. */
export async function publishDraft(tx: OrgTx, version: VersionHead & { verdict: string | null }): Promise<void> {
  const verdictHash = version.verdict === null ? null : hashOf([version.id, version.verdict]);
  await tx.write(sql`
    UPDATE layout_versions
    SET status = 'PUBLISHED', supported_modes = ${version.supported_modes}, state = ${version.state},
        validation = ${version.validation}, verdict = ${version.verdict}, published_at = ${version.published_at},
        content_sha256 = ${version.content_sha256}, verdict_hash = ${verdictHash},
        record_hash = ${recordHash("layout_versions", version)}
    WHERE org_id = ${tx.orgId} AND id = ${version.id} AND status = 'DRAFT'`);
}
