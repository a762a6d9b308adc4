/**
 * Lets one run at a time carry out a migration. The run writes an entry with its holder and the end of its lease, by
 * compare-and-swap, and renews the lease while it works. Another holder takes the migration over only after the lease
 * has ended. The clocks of the machines must not differ by more than the time between two renewals and the end.
 */

import { FormctlError, hasCode } from "../error.ts";
import type { MigrationEntry, MigrationRecord, RecordState } from "./record.ts";

/** How long a lease lasts without being renewed. */
export const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** How often a write is repeated because other processes have written the record. */
const MAX_TRIES = 20;

type Change = (entry: MigrationEntry) => MigrationEntry;

/** A migration that this run holds. */
export type Hold = {
  /** The entry as it was last written. */
  entry(): MigrationEntry;
  /**
   * Resolves if this run still holds the migration. Called before each write on the target.
   *
   * @throws MIGRATION_IN_PROGRESS if another run has taken the migration over
   */
  ensure(): Promise<void>;
  /**
   * Writes the changed entry and renews the lease. Changes that wait at the same time share one write.
   *
   * @throws MIGRATION_IN_PROGRESS, and what the record throws
   */
  update(change: Change): Promise<void>;
  /** Writes the last state of the entry, without a lease. Undefined removes the entry. @throws what `update` throws */
  end(last: (entry: MigrationEntry) => MigrationEntry | undefined): Promise<void>;
};

export type HoldOptions = {
  record: MigrationRecord;
  /** The holder of this run. */
  holder: string;
  now: () => Date;
};

/**
 * Takes a migration: writes the entry that `begin` returns for the current entries, with a lease.
 *
 * @param begin returns undefined if there is nothing to carry out, because another run has done it in the meantime
 * @throws MIGRATION_IN_PROGRESS if another holder has a migration with a live lease; what `begin` throws
 */
export async function takeMigration(
  { record, holder, now }: HoldOptions,
  begin: (state: RecordState) => Omit<MigrationEntry, "holder" | "heldUntil"> | undefined,
): Promise<Hold | undefined> {
  for (let tries = 1; ; tries++) {
    const state = await record.read();
    requireNoOtherHolder(state.entries, { holder, now });
    const entry = begin(state);
    if (!entry) return undefined;
    const held = { ...entry, holder, heldUntil: leaseFrom(now()) };
    const entries = replaced(state.entries, held.name, held);
    try {
      return hold({ record, holder, now }, held, { entries, revision: await record.write(entries, state.revision) });
    } catch (error) {
      if (!hasCode(error, "MIGRATIONS_CHANGED") || tries === MAX_TRIES) throw error;
    }
  }
}

/** Throws if a migration has a live lease of another holder. @throws MIGRATION_IN_PROGRESS */
export function requireNoOtherHolder(
  entries: readonly MigrationEntry[],
  { holder, now }: { holder: string; now: () => Date },
): void {
  const other = entries.find(
    (entry) =>
      entry.holder !== holder && entry.heldUntil !== undefined && Date.parse(entry.heldUntil) > now().getTime(),
  );
  if (!other) return;
  const what = other.state === "reverting" ? "is being reverted" : "is running";
  throw new FormctlError(
    "MIGRATION_IN_PROGRESS",
    `the migration ${other.name} ${what}: ${other.by}, since ${other.startedAt}`,
    `Wait until it has ended: formctl migrate status. If that run was killed, it can be continued from ${other.heldUntil}.`,
  );
}

function hold({ record, holder, now }: HoldOptions, first: MigrationEntry, written: RecordState): Hold {
  let entry = first;
  let state = written;
  /** The leases that this run has written or tried to write: a write without an answer may have been carried out. */
  const leases = new Set([first.heldUntil]);
  let lost: FormctlError | undefined;
  let waiting: Change[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void update((one) => one).catch(() => undefined), RENEW_MS);
  timer.unref();

  function update(change: Change): Promise<void> {
    waiting.push(change);
    next ??= last = last
      .catch(() => undefined)
      .then(() => {
        const changes = waiting;
        waiting = [];
        next = undefined;
        const changed = changes.reduce((one, each) => each(one), entry);
        return write({ ...changed, heldUntil: leaseFrom(now()) });
      });
    return next;
  }

  async function write(wanted: MigrationEntry | undefined): Promise<void> {
    if (lost) throw lost;
    leases.add(wanted?.heldUntil);
    for (let tries = 1; ; tries++) {
      const entries = replaced(state.entries, entry.name, wanted);
      try {
        state = { entries, revision: await record.write(entries, state.revision) };
        entry = wanted ?? entry;
        return;
      } catch (error) {
        if (!hasCode(error, "MIGRATIONS_CHANGED") || tries === MAX_TRIES) throw error;
      }
      state = await record.read();
      const stored = state.entries.find(({ name }) => name === entry.name);
      // The entry was removed: by the write of this run whose answer was lost.
      if (!stored && !wanted) return;
      if (!stored || stored.holder !== holder || !leases.has(stored.heldUntil)) throw (lost = takenOver(entry, stored));
    }
  }

  return {
    entry: () => entry,
    async ensure() {
      if (lost) throw lost;
      // After a pause of the machine, or while the record could not be written, another run may have taken it over.
      if (Date.parse(entry.heldUntil ?? "") <= now().getTime()) await update((one) => one);
    },
    update,
    async end(change) {
      clearInterval(timer);
      await last.catch(() => undefined);
      const { heldUntil: _, ...wanted } = change(entry) ?? {};
      await write("name" in wanted ? (wanted as MigrationEntry) : undefined);
    },
  };
}

function takenOver({ name }: MigrationEntry, stored: MigrationEntry | undefined): FormctlError {
  const by = stored ? `${stored.by} has taken it over` : "its entry was removed from the record";
  return new FormctlError(
    "MIGRATION_IN_PROGRESS",
    `the migration ${name} was stopped: ${by}`,
    "See its state: formctl migrate status",
  );
}

function replaced(
  entries: readonly MigrationEntry[],
  name: string,
  wanted: MigrationEntry | undefined,
): readonly MigrationEntry[] {
  if (!wanted) return entries.filter((each) => each.name !== name);
  const at = entries.findIndex((each) => each.name === name);
  return at === -1 ? [...entries, wanted] : entries.with(at, wanted);
}

function leaseFrom(now: Date): string {
  return new Date(now.getTime() + LEASE_MS).toISOString();
}
