/**
 * Lets one run at a time carry out a migration. The run writes an entry with its holder and the end of its lease, by
 * compare-and-swap. It renews the lease while it works. Another holder takes the migration over only after the lease
 * has ended. A lease is renewed `LEASE_MS - RENEW_MS` before its end. If the clocks of two machines differ by more than
 * this time, one machine may take over a migration that the other machine still runs.
 */

import { FormctlError, hasCode } from "../base/error.ts";
import { quoted } from "../base/shell-quote.ts";
import type { MigrationEntry, MigrationRecord, RecordState } from "./record.ts";

/** How long a lease lasts without a renewal. */
export const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** A lease that ends later is not that of a run, even if the clocks of two machines differ. The user may end it. */
const MOST_LEASE_MS = 60 * 60_000;
/** The maximum number of attempts to write a record that other processes write too. */
const MAX_TRIES = 20;

type Change = (entry: MigrationEntry) => MigrationEntry;
/** An entry without the members that a hold sets. */
export type UnheldEntry = Omit<MigrationEntry, "holder" | "heldUntil">;

/**
 * The migration that this run holds. A run holds its migrations one after the other. There is no gap in which another
 * run could begin.
 */
export type Hold = {
  /** The last written entry. */
  entry(): MigrationEntry;
  /** The entry of the migration before this run took it. */
  former(): MigrationEntry | undefined;
  /**
   * Resolves if this run still holds the migration. Called before each write on the target.
   *
   * @throws MIGRATION_IN_PROGRESS if another run has taken the migration over
   */
  ensure(): Promise<void>;
  /**
   * Writes the changed entry and renews the lease. Changes that wait at the same time share one write.
   *
   * @throws MIGRATION_IN_PROGRESS if another run has taken the migration over
   * @throws what the record throws
   */
  update(change: Change): Promise<void>;
  /**
   * Writes the last state of the entry, and takes the next migration in the same write.
   *
   * @param last returns the last state of the entry; undefined removes the entry
   * @param name the next migration
   * @param begin returns the entry of the next migration, given its current entry
   * @throws what `update` throws
   */
  advance(last: EndOf, name: string, begin: (entry: MigrationEntry | undefined) => UnheldEntry): Promise<void>;
  /**
   * Writes the entry that `last` returns, without a lease. Undefined removes the entry. @throws what `update` throws
   */
  end(last: EndOf): Promise<void>;
};

type EndOf = (entry: MigrationEntry) => MigrationEntry | undefined;

export type HoldOptions = {
  record: MigrationRecord;
  /** The holder of this run. */
  holder: string;
  now: () => Date;
};

/**
 * Takes a migration: writes the entry that `begin` returns for the current state, with a lease.
 *
 * @throws MIGRATION_IN_PROGRESS while another holder has a lease on any migration of the record
 * @throws what `begin` throws
 */
export async function takeMigration(
  { record, holder, now }: HoldOptions,
  name: string,
  begin: (entry: MigrationEntry | undefined, state: RecordState) => UnheldEntry,
): Promise<Hold> {
  for (let tries = 1; ; tries++) {
    const state = await record.read();
    requireNoOtherHolder(state.entries, { holder, now });
    const former = state.entries.find((entry) => entry.name === name);
    const entry = { ...begin(former, state), holder, heldUntil: leaseFrom(now()) };
    const entries = replaced(state.entries, name, entry);
    try {
      const revision = await record.write(entries, state.revision);
      return hold({ record, holder, now }, { entry, former }, { entries, revision });
    } catch (error) {
      if (!hasCode(error, "MIGRATIONS_CHANGED") || tries === MAX_TRIES) throw error;
    }
  }
}

/** @throws MIGRATION_IN_PROGRESS while another holder has a lease on any migration of the record */
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
  const isForeign = Date.parse(other.heldUntil ?? "") > now().getTime() + MOST_LEASE_MS;
  throw new FormctlError(
    "MIGRATION_IN_PROGRESS",
    `the migration ${other.name} ${what}: ${other.by}, since ${other.startedAt}`,
    isForeign
      ? `Its lease until ${other.heldUntil} is not that of a run. If no process runs the migration, end the lease: formctl migrate repair ${quoted(other.name)}`
      : `Wait until it has ended: formctl migrate status. If that run was killed, it can be continued from ${other.heldUntil}.`,
  );
}

type Held = { entry: MigrationEntry; former: MigrationEntry | undefined };

function hold({ record, holder, now }: HoldOptions, first: Held, written: RecordState): Hold {
  let held = first;
  let state = written;
  /** The leases that this run has written or tried to write. A write without an answer may have been carried out. */
  const leases = new Set([first.entry.heldUntil]);
  let lost: FormctlError | undefined;
  let waiting: Change[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void update((entry) => entry).catch(() => undefined), RENEW_MS);
  timer.unref();

  function update(change: Change): Promise<void> {
    waiting.push(change);
    next ??= inTurn(async () => {
      const changes = waiting;
      waiting = [];
      next = undefined;
      const changed = changes.reduce((entry, each) => each(entry), held.entry);
      const entry = { ...changed, heldUntil: leaseFrom(now()) };
      await write(entry.heldUntil, (entries) => replaced(entries, entry.name, entry));
      held = { ...held, entry };
    });
    return next;
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    last = last.catch(() => undefined).then(work);
    return last;
  }

  /**
   * Writes the changed entries, if this run still holds the migration. @param lease the lease of this run in the
   * changed entries; undefined if the write ends the lease
   */
  async function write(
    lease: string | undefined,
    change: (entries: readonly MigrationEntry[]) => readonly MigrationEntry[],
  ): Promise<void> {
    if (lost) throw lost;
    if (lease !== undefined) leases.add(lease);
    for (let tries = 1; ; tries++) {
      const entries = change(state.entries);
      try {
        state = { entries, revision: await record.write(entries, state.revision) };
        return;
      } catch (error) {
        if (!hasCode(error, "MIGRATIONS_CHANGED") || tries === MAX_TRIES) throw error;
      }
      state = await record.read();
      const stored = state.entries.find(({ name }) => name === held.entry.name);
      if (!stored || stored.holder !== holder || !leases.has(stored.heldUntil)) {
        throw (lost = takenOver(held.entry, stored));
      }
    }
  }

  return {
    entry: () => held.entry,
    former: () => held.former,
    async ensure() {
      if (lost) throw lost;
      // The lease may have ended, for example after a pause of the machine. Another run may then have taken the
      // migration over. In this case, the renewal throws.
      if (Date.parse(held.entry.heldUntil ?? "") <= now().getTime()) await update((entry) => entry);
    },
    update,
    advance: (end, name, begin) =>
      inTurn(async () => {
        const former = state.entries.find((each) => each.name === name);
        const entry = { ...begin(former), holder, heldUntil: leaseFrom(now()) };
        await write(entry.heldUntil, (entries) => replaced(ended(entries, held.entry, end), name, entry));
        held = { entry, former };
      }),
    end(change) {
      clearInterval(timer);
      return inTurn(() => write(undefined, (entries) => ended(entries, held.entry, change)));
    },
  };
}

function ended(entries: readonly MigrationEntry[], entry: MigrationEntry, end: EndOf): readonly MigrationEntry[] {
  const last = end(entry);
  if (!last) return replaced(entries, entry.name, undefined);
  const { heldUntil: _, ...unheld } = last;
  return replaced(entries, entry.name, unheld);
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
