/** Queries that read and write the record of migrations of an organization. */

import sql from "sql-template-tag";
import { recordHash, verifyRecords } from "./record-hash.ts";
import type { Tx } from "./store.ts";

export type MigrationEntryRecord = {
  id: string;
  org_id: string;
  position: number;
  name: string;
  /** JSON text. */
  entry: string;
};

/** Returns the revision of the record; undefined if the organization has no record. */
export async function findMigrationRevision(tx: Tx, orgId: string): Promise<string | undefined> {
  const found = await tx.first<{ revision: string }>(
    sql`SELECT revision FROM migration_records WHERE org_id = ${orgId}`,
  );
  return found?.revision;
}

export async function putMigrationRevision(tx: Tx, orgId: string, revision: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO migration_records (org_id, revision) VALUES (${orgId}, ${revision})
    ON CONFLICT (org_id) DO UPDATE SET revision = excluded.revision`);
}

/** Returns the entries in their order. */
export async function listMigrationEntries(tx: Tx, orgId: string): Promise<MigrationEntryRecord[]> {
  const found = await tx.all<MigrationEntryRecord>(sql`
    SELECT id, org_id, position, name, entry, record_hash FROM migration_entries
    WHERE org_id = ${orgId} ORDER BY position`);
  return verifyRecords("migration_entries", found, { org_id: orgId });
}

/** Returns the ids of the entries, in their order. Reads no texts. */
export async function listMigrationEntryIds(tx: Tx, orgId: string): Promise<{ id: string; name: string }[]> {
  return tx.all(sql`SELECT id, name FROM migration_entries WHERE org_id = ${orgId} ORDER BY position`);
}

/** Whether the entry is stored with this position and text. */
export async function isMigrationEntryStored(
  tx: Tx,
  { id, position, entry }: Pick<MigrationEntryRecord, "id" | "position" | "entry">,
): Promise<boolean> {
  const found = await tx.first(
    sql`SELECT id FROM migration_entries WHERE id = ${id} AND position = ${position} AND entry = ${entry}`,
  );
  return found !== undefined;
}

export async function putMigrationEntry(tx: Tx, record: MigrationEntryRecord): Promise<void> {
  const { id, org_id, position, name, entry } = record;
  await tx.run(sql`
    INSERT INTO migration_entries (id, org_id, position, name, entry, record_hash)
    VALUES (${id}, ${org_id}, ${position}, ${name}, ${entry}, ${recordHash("migration_entries", record)})
    ON CONFLICT (id) DO UPDATE SET
      position = excluded.position, entry = excluded.entry, record_hash = excluded.record_hash`);
}

export async function deleteMigrationEntry(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`DELETE FROM migration_entries WHERE id = ${id}`);
}
