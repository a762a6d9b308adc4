/**
 * Compares the migration files of a project with the record of a target. A process holds the migration that it runs
 * with a lease. The lease is a time limit that the process renews (hold.ts).
 */

import { byCodeUnits, type MigrationFile } from "./folder.ts";
import type { MigrationEntry } from "./record.ts";

/**
 * The state of a migration on a target:
 * - `pending`: the migration has not run
 * - `done`: the migration ran
 * - `baseline`: the migration was declared as done without running
 * - `running`: a process holds the migration, and the lease has not ended
 * - `interrupted`: the migration began and has not ended, and no process holds it. The next run continues it
 * - `reverting`: `down` began and has not ended
 */
export type MigrationState = "pending" | "done" | "baseline" | "running" | "interrupted" | "reverting";

export type MigrationStatus = {
  name: string;
  state: MigrationState;
  /** Whether a process holds the migration, and the lease has not ended. */
  isHeld: boolean;
  /** Whether the checksum of the file differs from the checksum in the record. */
  isChanged: boolean;
  /** Whether the migration is in the record, but has no file. */
  isMissing: boolean;
  /** Whether the migration is pending, although the record contains a migration with a later name. */
  isOutOfOrder: boolean;
  /** Absent if the file is missing. */
  file?: MigrationFile;
  /** Absent if the migration is pending. */
  entry?: MigrationEntry;
};

/** Returns the status of each migration in the files or in the record, ordered by name. */
export function migrationStatus(
  files: readonly MigrationFile[],
  entries: readonly MigrationEntry[],
  now: Date,
): MigrationStatus[] {
  const filesByName = new Map(files.map((file) => [file.name, file]));
  const entriesByName = new Map(entries.map((entry) => [entry.name, entry]));
  const names = [...new Set([...filesByName.keys(), ...entriesByName.keys()])].toSorted(byCodeUnits);
  const last = names.findLast((name) => entriesByName.has(name)) ?? "";
  return names.map((name) => {
    const [file, entry] = [filesByName.get(name), entriesByName.get(name)];
    const isHeld = entry?.heldUntil !== undefined && Date.parse(entry.heldUntil) > now.getTime();
    return {
      name,
      state: stateOf(entry, isHeld),
      isHeld,
      isChanged: file !== undefined && entry !== undefined && file.checksum !== entry.checksum,
      isMissing: !file,
      isOutOfOrder: !entry && byCodeUnits(name, last) < 0,
      ...(file && { file }),
      ...(entry && { entry }),
    };
  });
}

function stateOf(entry: MigrationEntry | undefined, isHeld: boolean): MigrationState {
  if (!entry) return "pending";
  if (entry.state !== "running") return entry.state;
  return isHeld ? "running" : "interrupted";
}

/** Whether the migration is done or declared as done, and its file exists and is unchanged. */
export function isInSync({ state, isChanged, isMissing }: MigrationStatus): boolean {
  return (state === "done" || state === "baseline") && !isChanged && !isMissing;
}
