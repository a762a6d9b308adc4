/** The entry of the library: the exports of library.ts, and `openMigrations`. */

import { resolve } from "node:path";
import { hostOf, rehearse, type WithHost } from "./composition/library-host.ts";
import { openMigrations as openMigrationsOn, type Migrations, type MigrationsOptions } from "./migrations/migrate.ts";
import { openRecord } from "./migrations/open-record.ts";

export * from "./composition/library.ts";

export type OpenMigrationsOptions = Omit<MigrationsOptions, "library" | "record"> &
  Partial<Pick<MigrationsOptions, "record">>;

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
  const record = () =>
    openRecord({ target, root: resolve(root), folder: resolve(root, folder), host: system, onWarning });
  // A migration that imports `formctl` gets the whole library, including `openMigrations`.
  const library = async () => ({ ...(await import("./composition/library.ts")), openMigrations });
  return openMigrationsOn({ record, rehearse, ...options, library }, system);
}
