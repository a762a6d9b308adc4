/** Reads and writes the record of migrations of an organization. */

import type { StoredMigration } from "../../local-service.ts";
import {
  deleteMigrationEntry,
  findMigrationRevision,
  listMigrationEntries,
  putMigrationEntry,
  putMigrationRevision,
} from "../../store/migration-record.ts";
import { readStored } from "../../store/stored-json.ts";
import type { Tx } from "../../store/store.ts";
import type { NewId } from "../ids.ts";

type Migrations = { entries: StoredMigration[]; revision: string | null };

export async function readMigrations(tx: Tx, orgId: string): Promise<Migrations> {
  const revision = (await findMigrationRevision(tx, orgId)) ?? null;
  const records = await listMigrationEntries(tx, orgId);
  return {
    entries: records.map(({ id, name, entry }) => ({ name, entry: readStored("migration_entries.entry", entry, id) })),
    revision,
  };
}

/**
 * Replaces all entries. Writes only those that differ: a long script writes the record after each step, and the other
 * entries may be large.
 *
 * @returns the new revision; undefined if the record has another revision than the given one
 */
export async function writeMigrations(
  tx: Tx,
  orgId: string,
  change: { entries: readonly StoredMigration[]; revision: string | null; newId: NewId },
): Promise<string | undefined> {
  const { entries, newId } = change;
  const current = (await findMigrationRevision(tx, orgId)) ?? null;
  if (current !== change.revision) return undefined;
  const revision = newId("migrationRecord");
  await putMigrationRevision(tx, orgId, revision);
  const before = new Map((await listMigrationEntries(tx, orgId)).map((record) => [record.name, record]));
  for (const [position, { name, entry }] of entries.entries()) {
    const former = before.get(name);
    before.delete(name);
    const text = JSON.stringify(entry);
    if (former?.entry === text && former.position === position) continue;
    await putMigrationEntry(tx, { id: former?.id ?? newId("migration"), org_id: orgId, position, name, entry: text });
  }
  for (const { id } of before.values()) await deleteMigrationEntry(tx, id);
  return revision;
}
