/** Versions of layouts. The draft is the one with the status DRAFT; the runtime version is the one PUBLISHED. */

import sql, { raw } from "sql-template-tag";
import type { Tx } from "./store.ts";

/** A version without its content, which can be megabytes long. */
export type VersionHead = {
  id: string;
  org_id: string;
  layout_id: string;
  /** 1, 2, 3 … in a layout. A draft has the highest, and hands it to the draft that replaces it. */
  number: number;
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  /** JSON text: the layout's modes when this version was saved or published. */
  supported_modes: string;
  /** In hexadecimal: by this its content is found. */
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

const headColumns = raw(`id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation,
  source_version_id, created_at, published_at`);
const columns = raw(`${headColumns.sql}, content`);

/** `layout_versions` with their contents. */
const versions = sql`
  (SELECT v.*, c.content FROM layout_versions v
   JOIN layout_contents c ON c.layout_id = v.layout_id AND c.sha256 = v.content_sha256)`;

export function findVersion(tx: Tx, layoutId: string, versionId: string): Promise<VersionRecord | undefined> {
  return tx.first<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} WHERE id = ${versionId} AND layout_id = ${layoutId}`);
}

export function findDraft(tx: Tx, layoutId: string): Promise<VersionRecord | undefined> {
  return tx.first<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} WHERE layout_id = ${layoutId} AND status = 'DRAFT'`);
}

export function findPublished(tx: Tx, layoutId: string): Promise<VersionRecord | undefined> {
  return tx.first<VersionRecord>(sql`
    SELECT ${columns} FROM ${versions} WHERE layout_id = ${layoutId} AND status = 'PUBLISHED'`);
}

/** Newest first: the draft before all others. Their contents are read one after the other, for each is long. */
export async function listVersionIds(tx: Tx, layoutId: string): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    SELECT id FROM layout_versions WHERE layout_id = ${layoutId} ORDER BY number DESC`);
  return rows.map(({ id }) => id);
}

/** The draft and the runtime version of a layout, as far as there are any. */
export function listCurrentHeads(tx: Tx, layoutId: string): Promise<VersionHead[]> {
  return tx.all<VersionHead>(sql`
    SELECT ${headColumns} FROM layout_versions WHERE layout_id = ${layoutId} AND status <> 'ARCHIVED'`);
}

export async function insertDraft(tx: Tx, draft: VersionRecord): Promise<void> {
  await insertContent(tx, draft);
  await tx.run(sql`
    INSERT INTO layout_versions
      (id, org_id, layout_id, number, status, supported_modes, content_sha256, state, validation,
       source_version_id, created_at, published_at)
    VALUES (${draft.id}, ${draft.org_id}, ${draft.layout_id}, ${draft.number}, 'DRAFT', ${draft.supported_modes},
            ${draft.content_sha256}, ${draft.state}, ${draft.validation},
            ${draft.source_version_id}, ${draft.created_at}, NULL)`);
}

/** Keeps a version's content, unless the layout has it already: each is kept once. */
export async function insertContent(tx: Tx, version: VersionRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO layout_contents (layout_id, org_id, sha256, content)
    VALUES (${version.layout_id}, ${version.org_id}, ${version.content_sha256}, ${version.content})
    ON CONFLICT (layout_id, sha256) DO NOTHING`);
}

/** @returns whether there was a draft */
export async function deleteDraft(tx: Tx, layoutId: string): Promise<boolean> {
  return (await tx.run(sql`DELETE FROM layout_versions WHERE layout_id = ${layoutId} AND status = 'DRAFT'`)) > 0;
}

/** Says anew what is wrong with a draft. One that was replaced or published meanwhile stays as it is. */
export async function updateDraftValidation(
  tx: Tx,
  draftVersionId: string,
  { state, validation }: Pick<VersionHead, "state" | "validation">,
): Promise<void> {
  await tx.run(sql`
    UPDATE layout_versions SET state = ${state}, validation = ${validation}
    WHERE id = ${draftVersionId} AND status = 'DRAFT'`);
}

/** Makes way for the next runtime version. */
export async function archivePublished(tx: Tx, layoutId: string): Promise<void> {
  await tx.run(sql`
    UPDATE layout_versions SET status = 'ARCHIVED' WHERE layout_id = ${layoutId} AND status = 'PUBLISHED'`);
}

/** The draft's row becomes the runtime version, under the same id (R52). Its content is there, be it the draft's or another. */
export async function publishDraft(tx: Tx, version: VersionHead & { verdict: string | null }): Promise<void> {
  await tx.run(sql`
    UPDATE layout_versions
    SET status = 'PUBLISHED', supported_modes = ${version.supported_modes}, state = ${version.state},
        validation = ${version.validation}, verdict = ${version.verdict}, published_at = ${version.published_at},
        content_sha256 = ${version.content_sha256}
    WHERE id = ${version.id} AND status = 'DRAFT'`);
}
