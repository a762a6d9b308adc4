/**
 * Corrects differences between the record of migrations and the files. Also releases migrations that a process holds.
 */

import { FormctlError, hasCode } from "../base/error.ts";
import { type RecordContext, unknownMigration } from "./baseline.ts";
import { readMigrationFolder } from "./folder.ts";
import type { MigrationEntry } from "./record.ts";
import { migrationStatus, type MigrationStatus } from "./status.ts";

/**
 * - `accept`: the record gets the checksum of the edited file; the migration does not run again
 * - `forget`: the entry of a migration without a file is deleted
 * - `release`: the lease ends now, and another run can continue the migration
 */
export type Repair = { name: string; action: "accept" | "forget" | "release"; entry: MigrationEntry };

export type RepairRequest = {
  /**
   * The migrations to repair. Default: all migrations whose file was edited or is missing. A held migration must be
   * named to be released, because its process may still run.
   */
  names?: readonly string[];
  /** Writes nothing. */
  dryRun?: boolean;
  /** Called before the record is written. Throws to stop. */
  confirm?: (repairs: readonly Repair[], where: string) => Promise<void>;
  /**
   * Called before a new record is begun on a server, with the error MIGRATION_RECORD_LOST. Throws to stop. Without this
   * function, `repair` begins no record.
   */
  confirmRenewal?: (lost: FormctlError) => Promise<void>;
};

/** `isRenewed` is true if a new record was begun, or one that a run has begun was confirmed. */
export type RepairResult = { repairs: Repair[]; where: string; isRenewed: boolean };

/**
 * Corrects the record, or begins a new one if there is none. Changes nothing else on the target.
 *
 * @throws NOT_FOUND if no migration has one of the names
 * @throws INVALID_VALUE if a named migration needs no repair
 * @throws MIGRATIONS_CHANGED if another process wrote the record meanwhile
 * @throws what the record and `confirm` throw
 */
export async function repair(context: RecordContext, request: RepairRequest): Promise<RepairResult> {
  const { names = [], dryRun = false, confirm, confirmRenewal } = request;
  const files = await readMigrationFolder(context);
  const record = await context.record();
  const state = await record.read().catch(async (error: unknown) => {
    if (!hasCode(error, "MIGRATION_RECORD_LOST") || !confirmRenewal || !record.renew) throw error;
    await confirmRenewal(error);
    if (!dryRun) await record.renew();
    return undefined;
  });
  if (!state) return { repairs: [], where: record.where, isRenewed: true };
  if (record.isNew && names.length === 0 && confirmRenewal && record.renew) {
    await confirmRenewal(noRecord(state.revision !== null));
    if (!dryRun) await record.renew();
    return { repairs: [], where: record.where, isRenewed: true };
  }
  const { entries, revision } = state;
  const statuses = migrationStatus(files, entries, context.host.now());
  const repairs = planRepair(statuses, names);
  if (repairs.length === 0) return { repairs, where: record.where, isRenewed: false };
  await confirm?.(repairs, record.where);
  if (dryRun) return { repairs, where: record.where, isRenewed: false };
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const actions = Map.groupBy(repairs, ({ name }) => name);
  const repaired = entries.flatMap((entry) =>
    (actions.get(entry.name) ?? []).reduce<MigrationEntry[]>(
      (changed, { action }) => changed.flatMap((one) => applyRepair(one, action, byName.get(one.name)!)),
      [entry],
    ),
  );
  await record.write(repaired, revision);
  return { repairs, where: record.where, isRenewed: false };
}

/** The error that `confirmRenewal` gets if no record is known to be lost. @param hasBegun a run began a record */
function noRecord(hasBegun: boolean): FormctlError {
  return new FormctlError(
    "MIGRATION_RECORD_LOST",
    hasBegun
      ? "no run has finished all migrations since the record of migrations was begun"
      : "the target has no record of migrations",
    "If migrations ran before, declare them: formctl migrate baseline NAME",
  );
}

function applyRepair(entry: MigrationEntry, action: Repair["action"], { file }: MigrationStatus): MigrationEntry[] {
  if (action === "forget") return [];
  if (action === "accept") return [{ ...entry, checksum: file?.checksum ?? entry.checksum }];
  const { heldUntil: _, ...released } = entry;
  return [released];
}

/** Returns the repairs that the migrations need. @throws NOT_FOUND, INVALID_VALUE */
export function planRepair(statuses: readonly MigrationStatus[], names: readonly string[]): Repair[] {
  const all = statuses.map(({ name }) => name);
  for (const name of names) if (!all.includes(name)) throw unknownMigration(name, all);
  const repairs = statuses.flatMap((status): Repair[] => {
    const { name, entry, isHeld, isChanged, isMissing } = status;
    const isNamed = names.includes(name);
    if (!entry || (names.length > 0 && !isNamed)) return [];
    const action = (found: boolean, kind: Repair["action"]) => (found ? [{ name, action: kind, entry }] : []);
    // A process that holds a migration may change its entry at any time. The user must name such a migration to repair
    // it.
    if (isHeld && !isNamed) return [];
    if (isMissing) return action(true, "forget");
    return [...action(isChanged, "accept"), ...action(isHeld, "release")];
  });
  const unneeded = names.find((name) => !repairs.some((each) => each.name === name));
  if (unneeded === undefined) return repairs;
  const { state } = statuses.find(({ name }) => name === unneeded)!;
  const hint =
    state === "interrupted" || state === "pending"
      ? "Run it: formctl migrate run"
      : "Show the state of all migrations: formctl migrate status";
  throw new FormctlError("INVALID_VALUE", `the migration ${unneeded} needs no repair: it is ${state}`, hint);
}
