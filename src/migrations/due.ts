/** Selects the migrations that a run carries out. Refuses a folder that does not fit the record. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import { quoted } from "../base/shell-quote.ts";
import type { MigrationFile } from "./folder.ts";
import type { MigrationEntry } from "./record.ts";
import { migrationStatus, type MigrationStatus } from "./status.ts";

/** The differences between the folder and the record that a run accepts. */
export type Acceptances = {
  /** Accepts edited files of migrations that ran or were interrupted. */
  allowChanged?: boolean | undefined;
  /** Accepts missing files of migrations that ran. */
  allowMissing?: boolean | undefined;
  /** Runs pending migrations although a later migration already ran. */
  allowOutOfOrder?: boolean | undefined;
};

/** A migration to carry out. `entry` is present if a run of the migration has begun and has not ended. */
export type DueMigration = MigrationFile & { entry?: MigrationEntry };

export type DueOptions = Acceptances & {
  /** The name of the last pending migration to carry out. Default: all. Interrupted migrations are always included. */
  to?: string | undefined;
  now: Date;
};

/**
 * Returns the migrations that have begun and not ended, and then the pending migrations. Both groups are sorted by
 * name.
 *
 * @throws MIGRATIONS_OUT_OF_STEP with every difference that is not accepted
 * @throws NOT_FOUND if no migration has the name `to`
 */
export function dueMigrations(
  files: readonly MigrationFile[],
  entries: readonly MigrationEntry[],
  { to, now, ...acceptances }: DueOptions,
): DueMigration[] {
  const all = migrationStatus(files, entries, now);
  if (to !== undefined) requireName(to, all);
  const isWanted = ({ name }: MigrationStatus) => to === undefined || name <= to;
  requireFit(
    all.filter((one) => one.entry !== undefined || isWanted(one)),
    acceptances,
  );
  const due = all.filter(({ state }) => state === "running" || state === "interrupted" || state === "pending");
  return due
    .filter((one) => one.entry !== undefined || isWanted(one))
    .toSorted((a, b) => Number(b.entry !== undefined) - Number(a.entry !== undefined))
    .flatMap(({ file, entry }) => (file ? [{ ...file, ...(entry && { entry }) }] : []));
}

/** @throws NOT_FOUND if no migration has the name */
function requireName(name: string, all: readonly { name: string }[]): void {
  if (all.some((one) => one.name === name)) return;
  const suggestion = nearest(
    name,
    all.map((one) => one.name),
  );
  throw new FormctlError(
    "NOT_FOUND",
    `there is no migration ${name}`,
    suggestion === undefined ? "List the migrations: formctl migrate status" : `Did you mean ${suggestion}?`,
  );
}

/** @throws MIGRATIONS_OUT_OF_STEP with every difference that is not accepted */
function requireFit(all: readonly MigrationStatus[], acceptances: Acceptances): void {
  const facts: string[] = [];
  const flags = new Set<string>();
  const steps = new Set<string>();
  for (const { name, state, isChanged, isMissing, isOutOfOrder } of all) {
    if (state === "reverting") {
      facts.push(`${name} is partly reverted`);
      steps.add("To revert the rest: formctl migrate down");
    } else if (isMissing && (state === "running" || state === "interrupted")) {
      facts.push(`${name} was interrupted, and its file is missing`);
      steps.add(`Restore the file, or remove the entry: formctl migrate repair ${quoted(name)}`);
    } else if (isMissing && !acceptances.allowMissing) {
      facts.push(`${name} ran, and its file is missing`);
      flags.add("--allow-missing");
    } else if (isChanged && !acceptances.allowChanged) {
      facts.push(`${name} was edited after it ${state === "done" || state === "baseline" ? "ran" : "began"}`);
      flags.add("--allow-changed");
    } else if (isOutOfOrder && !acceptances.allowOutOfOrder) {
      facts.push(`${name} comes before a migration that ran`);
      flags.add("--allow-out-of-order");
    }
  }
  if (facts.length === 0) return;
  if (flags.size > 0) steps.add(`Review them: formctl migrate status. To run anyway, add ${[...flags].join(" and ")}.`);
  throw new FormctlError(
    "MIGRATIONS_OUT_OF_STEP",
    `the migrations do not match the record of the target: ${facts.join("; ")}`,
    [...steps].join("\n"),
  );
}
