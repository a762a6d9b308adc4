/**
 * Saves the plan of migrations in a file, and compares a later run with the file. The file contains names and digests
 * only.
 */

import { FormctlError } from "../base/error.ts";
import { digestOf } from "../contents/compare.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import { openSeal, seal, type SealKind } from "../plan/seal.ts";
import { targetText } from "../state/target.ts";
import * as z from "zod/mini";
import type { DueMigration } from "./due.ts";
import type { PlannedMigration } from "./plan-migrations.ts";
import type { MigrationEntry } from "./record.ts";

const Text = z.string();

const SealedMigrations = z.object({
  /** The key of the target: see `ProjectTarget.key`. */
  target: Text,
  /**
   * A digest of the name, checksum and state of each entry in the record. Entries of planned migrations are left out.
   */
  entries: z.array(Text),
  migrations: z.array(
    z.object({
      name: Text,
      checksum: Text,
      /**
       * The digests of the changes of a transform, by the address of the form or layout. Absent for a script. Absent
       * for a provisional plan: earlier migrations may change the state on which the plan is based.
       */
      changes: z.exactOptional(z.record(Text, z.array(Text))),
    }),
  ),
});
export type SealedMigrations = z.output<typeof SealedMigrations>;

type SealOptions = {
  /** The key of the target: see `ProjectTarget.key`. */
  target: string;
  entries: readonly MigrationEntry[];
  planned: readonly PlannedMigration[];
};

/**
 * Returns the text of a plan file. A migration with a provisional plan has only its name and checksum in the text.
 */
export function sealMigrations({ target, entries, planned }: SealOptions): string {
  return seal(KIND, {
    target,
    entries: entryDigests(entries, planned),
    migrations: planned.map(({ name, checksum, plan, isProvisional }) => ({
      name,
      checksum,
      ...(plan && !isProvisional && { changes: Object.fromEntries(changesOf(plan)) }),
    })),
  });
}

const KIND: SealKind<typeof SealedMigrations> = {
  kind: "migrations",
  version: 1,
  schema: SealedMigrations,
  command: "formctl migrate plan",
};

/** Reads the text of a plan file. @throws PLAN_UNUSABLE if the text is not a complete plan of migrations */
export function openSealedMigrations(text: string): SealedMigrations {
  return openSeal(KIND, text);
}

type CurrentMigrations = {
  /** The key of the target: see `ProjectTarget.key`. */
  target: string;
  entries: readonly MigrationEntry[];
  due: readonly DueMigration[];
};

/**
 * Checks that the record and the files have not changed since the plan was saved. Migrations of the plan may have run
 * since then: an interrupted run of the plan can be continued.
 *
 * @throws PLAN_STALE; USAGE if the plan was created for another target
 */
export function requireSameMigrations(sealed: SealedMigrations, { target, entries, due }: CurrentMigrations): void {
  if (target !== sealed.target) {
    throw new FormctlError(
      "USAGE",
      `the plan was created for ${targetText(sealed.target)}, and the current target is ${targetText(target)}`,
      "Specify the target with --profile, --store or --organization.",
    );
  }
  const isUnfinished = ({ name }: { name: string }) =>
    !entries.some((entry) => entry.name === name && (entry.state === "done" || entry.state === "baseline"));
  const versions = (all: readonly { name: string; checksum: string }[]) =>
    all.map(({ name, checksum }) => `${name} ${checksum}`).toSorted();
  const isSame =
    digestOf(entryDigests(entries, sealed.migrations)) === digestOf(sealed.entries) &&
    digestOf(versions(due)) === digestOf(versions(sealed.migrations.filter(isUnfinished)));
  if (!isSame) throw stale("the migrations or the record of the target have changed");
}

/**
 * Checks that a transform makes exactly the saved changes. After an interruption, a part of the saved changes is
 * enough. A transform is always accepted if the plan file lacks `changes` for it.
 *
 * @param continues whether the transform was interrupted
 * @throws PLAN_STALE
 */
export function requireSameChanges(sealed: SealedMigrations, name: string, plan: Plan, continues: boolean): void {
  const saved = sealed.migrations.find((one) => one.name === name)?.changes;
  if (!saved) return;
  const now = changesOf(plan);
  const hasAll = continues || Object.keys(saved).length === now.length;
  const isSaved = now.every(([address, changes]) => {
    const of = Object.hasOwn(saved, address) ? saved[address]! : [];
    return changes.every((change) => of.includes(change)) && (continues || changes.length === of.length);
  });
  if (!hasAll || !isSaved) throw stale(`what ${name} would change is not what the plan shows`);
}

function stale(reason: string): FormctlError {
  return new FormctlError(
    "PLAN_STALE",
    `the plan is stale: ${reason}`,
    "Create a new plan and review it: formctl migrate plan --out FILE",
  );
}

function changesOf({ resources }: Plan): [address: string, changes: string[]][] {
  const changing = resources.filter(({ action }) => action !== "none");
  return changing.map((resource: PlannedResource) => [resource.address, resource.changes.map((one) => digestOf(one))]);
}

/** Returns the digests of the entries that do not belong to migrations of the plan. */
function entryDigests(entries: readonly MigrationEntry[], planned: readonly { name: string }[]): string[] {
  const names = new Set(planned.map(({ name }) => name));
  const others = entries.filter(({ name }) => !names.has(name));
  return others.map(({ name, checksum, state }) => digestOf([name, checksum, state]));
}
