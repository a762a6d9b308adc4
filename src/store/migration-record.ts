/** Queries that read and write the record of migrations of an organization. */

import sql from "sql-template-tag";
import { recordHash, verifyRecords } from "./record-hash.ts";
import type { OrgTx } from "./store.ts";

export type MigrationEntryRecord = {
  id: string;
  org_id: string;
  position: number;
  name: string;
  /** JSON text. */
  entry: string;
};

/** Returns the revision of the record; undefined if the organization has no record. */
export async function findMigrationRevision(tx: OrgTx): Promise<string | undefined> {
  const found = await tx.first<{ revision: string }>(
    sql`SELECT revision FROM migration_records WHERE org_id = ${tx.orgId}`,
  );
  return found?.revision;
}

export async function putMigrationRevision(tx: OrgTx, revision: string): Promise<void> {
  await tx.write(sql`
    INSERT INTO migration_records (org_id, revision) VALUES (${tx.orgId}, ${revision})
    ON CONFLICT (org_id) DO UPDATE SET revision = excluded.revision`);
}

/** Returns the entries in their order. */
export async function listMigrationEntries(tx: OrgTx): Promise<MigrationEntryRecord[]> {
  const found = await tx.all<MigrationEntryRecord>(sql`
    SELECT id, org_id, position, name, entry, record_hash FROM migration_entries
    WHERE org_id = ${tx.orgId} ORDER BY position`);
  return verifyRecords("migration_entries", found, { org_id: tx.orgId });
}

/** Returns the ids and names of the entries, in their order. Does not read their JSON texts, which can be long. */
export async function listMigrationEntryIds(tx: OrgTx): Promise<{ id: string; name: string }[]> {
  return tx.all(sql`SELECT id, name FROM migration_entries WHERE org_id = ${tx.orgId} ORDER BY position`);
}

/** Whether the entry is stored with this position and text. */
export async function isMigrationEntryStored(
  tx: OrgTx,
  { id, position, entry }: Pick<MigrationEntryRecord, "id" | "position" | "entry">,
): Promise<boolean> {
  const found = await tx.first(
    sql`SELECT id FROM migration_entries
        WHERE org_id = ${tx.orgId} AND id = ${id} AND position = ${position} AND entry = ${entry}`,
  );
  return found !== undefined;
}

export async function putMigrationEntry(tx: OrgTx, record: MigrationEntryRecord): Promise<void> {
  const { id, org_id, position, name, entry } = record;
  const hash = recordHash("migration_entries", record);
  const updated = await tx.run(sql`
    UPDATE migration_entries SET position = ${position}, entry = ${entry}, record_hash = ${hash}
    WHERE org_id = ${tx.orgId} AND id = ${id}`);
  if (updated > 0) return;
  await tx.write(sql`
    INSERT INTO migration_entries (id, org_id, position, name, entry, record_hash)
    VALUES (${id}, ${org_id}, ${position}, ${name}, ${entry}, ${hash})`);
}

export async function deleteMigrationEntry(tx: OrgTx, id: string): Promise<void> {
  await tx.write(sql`DELETE FROM migration_entries WHERE org_id = ${tx.orgId} AND id = ${id}`);
}
