/** Loads the migration that a codemod applies to files. */

import { relative } from "node:path";
import { FormctlError } from "../base/error.ts";
import type { CallableTransform } from "./change-manifest.ts";
import { definedMigration } from "./defined.ts";
import { isScript, type Transform } from "./definition.ts";
import { findMigration } from "./find.ts";
import { readMigrationFolder } from "./folder.ts";
import { loadMigration, type LoadOptions } from "./load.ts";

export type TransformSource = Pick<LoadOptions, "library" | "print"> & {
  /** The name of a migration or a part of it, or a transform that the program defines. */
  migration: string | Transform;
  root: string;
  /** The folder to which paths in messages are relative. */
  cwd: string;
  /** The absolute path of the folder of the migrations. */
  folder: string;
};

/**
 * Returns the transform and its name. Executes the file of a migration in code.
 *
 * @throws NOT_FOUND, AMBIGUOUS_NAME for a name
 * @throws MIGRATION_INVALID if the file is invalid, MIGRATION_FAILED if it throws
 * @throws INVALID_VALUE for a script, which can't change files
 */
export async function loadTransform(source: TransformSource): Promise<{ name: string; transform: CallableTransform }> {
  const { migration: given, root, cwd, folder, library, print } = source;
  if (typeof given !== "string") return transformOf("the migration", definedMigration(given));
  const { name, path } = findMigration(await readMigrationFolder({ root, folder }), given);
  return transformOf(name, await loadMigration({ path, file: relative(cwd, path), library, print }));
}

function transformOf(name: string, { migration, ...code }: Awaited<ReturnType<typeof loadMigration>>) {
  if (!isScript(migration)) return { name, transform: { migration, ...code } };
  throw new FormctlError(
    "INVALID_VALUE",
    `${name} is a script, and only a transform can change files`,
    "Specify a migration with layout or form.",
  );
}
