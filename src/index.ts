/** The entry of the library: the exports of library.ts, and the functions that load the files of migrations. */

import { resolve } from "node:path";
import type { CodemodOptions, CodemodResult } from "./composition/run-codemod.ts";
import { hostOf, rehearse, type WithHost } from "./composition/library-host.ts";
import {
  openMigrations as openMigrationsOn,
  type Migrations,
  type OpenMigrationsOptions,
} from "./migrations/migrate.ts";

export * from "./composition/library.ts";

export type { OpenMigrationsOptions };

/**
 * Opens the migrations of a folder, and their record on the target.
 *
 * ```ts
 * const local = await openLocal("formctl.db");
 * const migrations = openMigrations({ root: ".", target: storeTarget({ local, store: "formctl.db" }) });
 * const { migrations: due } = await migrations.plan();
 * const { outcome } = await migrations.run();
 * ```
 *
 * @param host replaces parts of the system, such as the clock, files and processes. Default: those of this process
 */
export function openMigrations({ host, ...options }: OpenMigrationsOptions & WithHost): Migrations {
  const { root, folder = "migrations", target, onWarning = () => undefined } = options;
  const system = hostOf(options, host);
  const place = { target, root: resolve(root), folder: resolve(root, folder), host: system, onWarning };
  const record = async () => (await import("./migrations/open-record.ts")).openRecord(place);
  return openMigrationsOn({ record, rehearse, ...options, library }, system);
}

export type { CodemodOptions, CodemodResult };
export type { ChangedFile, Codemod } from "./migrations/codemod.ts";

/**
 * Applies a transform to manifests and layout files. Only the lines of changed values change. The target is not used.
 *
 * ```ts
 * const { files } = await codemod({ root: ".", migration: "replace-pay-rate", paths: ["forms"], dryRun: true });
 * for (const { name, lines } of files) console.log(`${name}: ${lines} lines`);
 * ```
 *
 * @param options.migration the name of a migration in `folder` or a part of it, or the transform itself
 * @throws NOT_FOUND, AMBIGUOUS_NAME for the name of a migration
 * @throws MIGRATION_INVALID if the migration is invalid, INVALID_VALUE if it is a script
 * @throws MANIFESTS_INVALID if a manifest can't be read
 * @throws MIGRATION_CONFLICT with every change that can't be made in the files. Nothing is written
 * @throws FILE_UNFIT if a file leads out of the project through a link, or was changed meanwhile
 * @throws FILE_UNWRITABLE
 * @throws the errors of the functions of the transform
 */
export async function codemod(options: CodemodOptions): Promise<CodemodResult> {
  return (await import("./composition/run-codemod.ts")).runCodemod(options, library);
}

/** Returns what a migration can import from `formctl`: the whole library, including the functions of this module. */
const library = async () => ({ ...(await import("./composition/library.ts")), openMigrations, codemod });
