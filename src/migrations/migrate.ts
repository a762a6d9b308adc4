/**
 * The library interface of migrations: a folder of migration files, and the target on which they run. Each operation
 * returns data; none prints or reads a command line.
 */

import { resolve } from "node:path";
import type { ProjectHost, Warning } from "../manifests/project/context.ts";
import type { Rehearse } from "../manifests/project/rehearsal.ts";
import type { ProjectTarget } from "../manifests/project/target.ts";
import type { BaselineRequest, BaselineResult } from "./baseline.ts";
import type { MigrationsContext, MigrationsProgress } from "./context.ts";
import type { MigrationRecord } from "./record.ts";
import type { RepairRequest, RepairResult } from "./repair.ts";
import type { DownRequest, DownResult } from "./revert-migrations.ts";
import type { MigrationsPlan, PlanDueRequest, RunRequest, RunResult } from "./run-migrations.ts";
import type { MigrationStatus } from "./status.ts";

export type MigrationsOptions = {
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
  /** Opens the record of the target. Called by the first operation. */
  record: () => Promise<MigrationRecord>;
  /** Returns what migrations can import from `formctl`. */
  library: () => Promise<object>;
  /** Rehearses the plans of transforms, see `ProjectOptions.rehearse`. */
  rehearse?: Rehearse | undefined;
  /** Receives what migrations print. Default: stderr */
  print?: (text: string) => void;
  onProgress?: (progress: MigrationsProgress) => void;
  onWarning?: (warning: Warning) => void | Promise<void>;
};

/**
 * The operations on migrations. Each of them reads the files and the record again. They throw FormctlErrors with a
 * `code` and a `hint`. A refusal by the service is a ServiceError.
 */
export type Migrations = {
  /**
   * Returns the status of each migration that has a file or an entry in the record. Executes no file.
   *
   * @throws MIGRATION_INVALID if a file has an unsuitable name
   */
  status(): Promise<MigrationStatus[]>;
  /**
   * Returns the migrations that are due, with the changes of each transform. Executes their files. Writes nothing on
   * the target. With `rehearse`, the migrations of a local store are executed on a copy of it, so that each plan is
   * based on the results of the migrations before. On a server, each transform is rehearsed alone.
   *
   * @throws MIGRATION_INVALID and MIGRATION_FAILED at the line of a file; MIGRATIONS_OUT_OF_STEP if a migration was
   *   edited after it ran, is missing, or comes before one that ran; NOT_FOUND if there is no migration `to`; and what
   *   `Project.plan` throws
   */
  plan(request?: PlanDueRequest): Promise<MigrationsPlan>;
  /**
   * Carries out the due migrations, and records them on the target. Stops at the first migration that can't be
   * finished. A failed step is returned, not thrown. The next run does the rest.
   *
   * @throws before the first write: what `plan` throws; CONSENT_MISSING if `confirm` returns false, or if data would be
   *   lost without permission by `allowReplace` or `confirm`; PLAN_STALE and PLAN_UNUSABLE for a saved
   *   plan; MIGRATION_IN_PROGRESS while another process runs migrations on the target; FILE_UNWRITABLE if the folder
   *   `.formctl` can't be used
   */
  run(request?: RunRequest): Promise<RunResult>;
  /**
   * Reverts the newest migrations. What a transform replaced is brought back; a script runs its function `down`.
   *
   * @throws before the first write: MIGRATIONS_OUT_OF_STEP if a migration can't be reverted; CONSENT_MISSING and
   *   MIGRATION_IN_PROGRESS as `run` does
   */
  down(request?: DownRequest): Promise<DownResult>;
  /**
   * Declares a migration and all pending ones before it as done, without running them.
   *
   * @throws NOT_FOUND if there is no migration `name`; MIGRATIONS_OUT_OF_STEP if one of them is not finished
   */
  baseline(request: BaselineRequest): Promise<BaselineResult>;
  /**
   * Corrects the record where it differs from the files, and releases migrations that a process holds.
   *
   * @throws NOT_FOUND if a named migration does not exist; INVALID_VALUE if a named migration needs no repair
   */
  repair(request?: RepairRequest): Promise<RepairResult>;
};

/**
 * Opens the migrations of a folder. Nothing is read until an operation is called.
 *
 * @param host the clock, files and processes that the operations use
 */
export function openMigrations(options: MigrationsOptions, host: ProjectHost): Migrations {
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
