/** Declares migrations as done without running them. Used if the target already has the effects of these migrations. */

import { FormctlError } from "../base/error.ts";
import type { Host } from "../base/host.ts";
import { nearest } from "../base/nearest.ts";
import { readMigrationFolder } from "./folder.ts";
import { machineUser } from "./machine-user.ts";
import type { MigrationEntry, MigrationRecord } from "./record.ts";
import { migrationStatus, type MigrationStatus } from "./status.ts";

/** What baseline and repair need: the folders, the record and the system. */
export type RecordContext = {
  root: string;
  /** The folder of the migrations. */
  folder: string;
  record: () => Promise<MigrationRecord>;
  host: Pick<Host, "env" | "now" | "processes">;
};

export type BaselineRequest = {
  /** The last migration to declare. All pending migrations before it are declared too. */
  name: string;
  /** Writes nothing. */
  dryRun?: boolean;
  /** Called before the record is written. Throws to stop. */
  confirm?: (names: readonly string[], where: string) => Promise<void>;
};

/** `declared` has the names of the migrations that are declared as done. `where` names the record in messages. */
export type BaselineResult = { declared: string[]; where: string };

/**
 * Declares a migration and all pending migrations before it as done. Runs nothing.
 *
 * @throws NOT_FOUND if no migration has the name
 * @throws MIGRATIONS_OUT_OF_STEP if one of the migrations began and has not ended
 * @throws MIGRATIONS_CHANGED if another process wrote the record meanwhile
 * @throws what the record and `confirm` throw
 */
export async function baseline(context: RecordContext, request: BaselineRequest): Promise<BaselineResult> {
  const { name, dryRun = false, confirm } = request;
  const { host } = context;
  const files = await readMigrationFolder(context);
  const record = await context.record();
  const { entries, revision } = await record.read();
  const statuses = migrationStatus(files, entries, host.now());
  requireFile(statuses, name);
  const upTo = statuses.filter((status) => status.name <= name);
  const unfinished = upTo.find(({ state }) => state === "running" || state === "interrupted" || state === "reverting");
  if (unfinished) {
    throw new FormctlError(
      "MIGRATIONS_OUT_OF_STEP",
      `the migration ${unfinished.name} began and has not ended (${unfinished.state})`,
      `Continue it: formctl migrate ${unfinished.state === "reverting" ? "down" : "run"}`,
    );
  }
  const pending = upTo.flatMap(({ file, state }) => (file && state === "pending" ? [file] : []));
  const declared = pending.map((file) => file.name);
  if (declared.length === 0) return { declared, where: record.where };
  await confirm?.(declared, record.where);
  if (dryRun) return { declared, where: record.where };
  const by = await machineUser(host);
  const time = host.now().toISOString();
  const added = pending.map((file): MigrationEntry => ({
    name: file.name,
    checksum: file.checksum,
    state: "baseline",
    startedAt: time,
    endedAt: time,
    by,
    holder: by,
    steps: [],
    replaced: [],
  }));
  record.setNew?.(false);
  await record.write([...entries, ...added], revision);
  return { declared, where: record.where };
}

/** @throws NOT_FOUND if no file has the name */
export function requireFile(statuses: readonly MigrationStatus[], name: string): void {
  const names = statuses.filter(({ isMissing }) => !isMissing).map((status) => status.name);
  if (!names.includes(name)) throw unknownMigration(name, names);
}

export function unknownMigration(name: string, names: readonly string[]): FormctlError {
  const meant = nearest(name, names);
  const hint = meant === undefined ? "List the migrations: formctl migrate status" : `Did you mean "${meant}"?`;
  return new FormctlError("NOT_FOUND", `unknown migration "${name}"`, hint);
}
