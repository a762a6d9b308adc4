/** Reads and writes the record of migrations of an organization. */

import type { StoredMigration } from "../../local-service.ts";
import {
  deleteMigrationEntry,
  findMigrationRevision,
  isMigrationEntryStored,
  listMigrationEntries,
  listMigrationEntryIds,
  putMigrationEntry,
  putMigrationRevision,
} from "../../store/migration-record.ts";
import { readStored } from "../../store/stored-json.ts";
import type { OrgTx } from "../../store/store.ts";
import type { NewId } from "../ids.ts";

type Migrations = { entries: StoredMigration[]; revision: string | null };

export async function readMigrations(tx: OrgTx): Promise<Migrations> {
  const revision = (await findMigrationRevision(tx)) ?? null;
  const records = await listMigrationEntries(tx);
  return {
    entries: records.map(({ id, name, entry }) => ({ name, entry: readStored("migration_entries.entry", entry, id) })),
    revision,
  };
}

/**
 * Replaces all entries of the record. Writes only the entries that differ. A script saves the record after each step,
 * and the entries of other migrations may be large.
 *
 * @returns the new revision; undefined if the record has a revision other than `revision`
 */
export async function writeMigrations(
  tx: OrgTx,
  change: { entries: readonly StoredMigration[]; revision: string | null; newId: NewId },
): Promise<string | undefined> {
  const { entries, newId } = change;
  const current = (await findMigrationRevision(tx)) ?? null;
  if (current !== change.revision) return undefined;
  const revision = newId("migrationRecord");
  await putMigrationRevision(tx, revision);
  const before = new Map((await listMigrationEntryIds(tx)).map(({ id, name }) => [name, id]));
  for (const [position, { name, entry: value }] of entries.entries()) {
    const id = before.get(name) ?? newId("migration");
    before.delete(name);
    const entry = JSON.stringify(value);
    if (await isMigrationEntryStored(tx, { id, position, entry })) continue;
    await putMigrationEntry(tx, { id, org_id: tx.orgId, position, name, entry });
  }
  for (const id of before.values()) await deleteMigrationEntry(tx, id);
  return revision;
}
