/**
 * The library interface of migrations: a folder of migration files, and the target on which they run. Each operation
 * returns data. Operations don't print, and don't read a command line.
 */

import { resolve } from "node:path";
import type { ProjectHost, Warning } from "../project/project.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import type { ProjectTarget } from "../state/target.ts";
import type { BaselineRequest, BaselineResult } from "./baseline.ts";
import type { MigrationsContext, MigrationsProgress } from "./context.ts";
import type { MigrationRecord } from "./record.ts";
import type { RepairRequest, RepairResult } from "./repair.ts";
import type { DownRequest, DownResult } from "./revert-migrations.ts";
import type { MigrationsPlan, PlanDueRequest, RunRequest, RunResult } from "./run-migrations.ts";
import type { MigrationStatus } from "./status.ts";

export type OpenMigrationsOptions = {
  /** The project folder, which contains `.formctl`. */
  root: string;
  /** The folder to which paths in messages are relative. Default: `root`. */
  cwd?: string;
  /** The folder of the migration files, relative to `root`. Default: `migrations`. */
  folder?: string;
  /** The target on which the migrations run: `serverTarget(…)` or `storeTarget(…)`. */
  target: ProjectTarget;
  /** The maximum number of concurrent requests. Default: 16 for a server, 128 for a local store. */
  concurrency?: number | undefined;
  /** Opens the record of the target. Called by the first operation. Default: the record of the target itself. @internal */
  record?: () => Promise<MigrationRecord>;
  /** Receives what migrations print. Default: stderr */
  print?: (text: string) => void;
  onProgress?: (progress: MigrationsProgress) => void;
  onWarning?: (warning: Warning) => void | Promise<void>;
};

/** The options of migrations, with those that only other modules of formctl use. */
export type MigrationsSetup = OpenMigrationsOptions & {
  record: () => Promise<MigrationRecord>;
  /** Returns what migrations can import from `formctl`. */
  library: () => Promise<object>;
  /** Rehearses the plans of transforms, see `ProjectSetup.rehearse`. */
  rehearse?: Rehearse | undefined;
};

/**
 * The operations on migrations. Each operation reads the files and the record again. Operations throw FormctlErrors
 * with a `code` and a `hint`. A refusal by the service is a ServiceError.
 */
export type Migrations = {
  /**
   * Returns the status of each migration that has a file or an entry in the record. Executes no file.
   *
   * @throws MIGRATION_INVALID if a file has an unsuitable name
   */
  status(): Promise<MigrationStatus[]>;
  /**
   * Returns the due migrations, with the changes of each transform. Executes their files, unless `code` is false. Writes
   * nothing on the target.
   * With `rehearse`, the migrations of a local store are executed on a copy of the store. Each plan is then based on
   * the results of the earlier migrations. On a server, each transform is rehearsed alone.
   *
   * @throws MIGRATION_INVALID, MIGRATION_FAILED at the line of a file
   * @throws MIGRATIONS_OUT_OF_STEP if a migration was edited after it ran, or is missing
   * @throws MIGRATIONS_OUT_OF_STEP if a pending migration comes before a migration that ran
   * @throws NOT_FOUND if no migration has the name `to`
   * @throws what `Project.plan` throws
   */
  plan(request?: PlanDueRequest): Promise<MigrationsPlan>;
  /**
   * Carries out the due migrations, and records them on the target. Stops at the first migration that can't be
   * finished. A failed step is returned, not thrown. The next run does the rest. The following errors are thrown before
   * the first write.
   *
   * @throws what `plan` throws
   * @throws CONSENT_MISSING if `confirm` returns false
   * @throws CONSENT_MISSING if data would be lost without permission by `allowReplace` or `confirm`
   * @throws PLAN_STALE, PLAN_UNUSABLE for a saved plan
   * @throws MIGRATION_IN_PROGRESS while another process runs migrations on the target
   * @throws FILE_UNWRITABLE if the folder `.formctl` can't be used
   */
  run(request?: RunRequest): Promise<RunResult>;
  /**
   * Reverts the newest migrations. What a transform replaced is brought back. A script runs its function `down`. The
   * following errors are thrown before the first write.
   *
   * @throws MIGRATIONS_OUT_OF_STEP if a migration can't be reverted
   * @throws CONSENT_MISSING, MIGRATION_IN_PROGRESS as `run` does
   */
  down(request?: DownRequest): Promise<DownResult>;
  /**
   * Declares a migration and all pending migrations before it as done, without running them.
   *
   * @throws NOT_FOUND if no migration has the name `name`
   * @throws MIGRATIONS_OUT_OF_STEP if one of these migrations is not finished
   */
  baseline(request: BaselineRequest): Promise<BaselineResult>;
  /**
   * Corrects differences between the record and the files. Also releases migrations that a process holds.
   *
   * @throws NOT_FOUND if a named migration does not exist
   * @throws INVALID_VALUE if a named migration needs no repair
   */
  repair(request?: RepairRequest): Promise<RepairResult>;
};

/**
 * Opens the migrations of a folder. Nothing is read until an operation is called.
 *
 * @param host the clock, files and processes that the operations use
 */
export function openMigrations(options: MigrationsSetup, host: ProjectHost): Migrations {
  const { target, library, print, rehearse, concurrency = target.concurrency } = options;
  const root = resolve(options.root);
  const ignore = () => undefined;
  let record: Promise<MigrationRecord> | undefined;
  const context: MigrationsContext = {
    root,
    cwd: options.cwd === undefined ? root : resolve(options.cwd),
    folder: resolve(root, options.folder ?? "migrations"),
    target,
    record: () => (record ??= options.record()),
    library,
    print,
    rehearse,
    host,
    concurrency,
    onProgress: options.onProgress ?? ignore,
    onWarning: options.onWarning ?? ignore,
  };
  return {
    async status() {
      const { migrationStatus } = await import("./status.ts");
      const files = await (await import("./folder.ts")).readMigrationFolder(context);
      return migrationStatus(files, (await (await context.record()).read()).entries, host.now());
    },
    plan: async (request = {}) => (await import("./run-migrations.ts")).plan(context, request),
    run: async (request = {}) => (await import("./run-migrations.ts")).run(context, request),
    down: async (request = {}) => (await import("./revert-migrations.ts")).down(context, request),
    baseline: async (request) => (await import("./baseline.ts")).baseline(context, request),
    repair: async (request = {}) => (await import("./repair.ts")).repair(context, request),
  };
}
