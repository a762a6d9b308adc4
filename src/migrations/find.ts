/** Finds a migration by its name or a part of it. */

import { FormctlError } from "../base/error.ts";
import { unknownMigration } from "./baseline.ts";
import type { MigrationFile } from "./folder.ts";

/**
 * Returns the migration with this name. If there is none, returns the only migration whose name contains the text.
 *
 * @throws NOT_FOUND if no name contains the text
 * @throws AMBIGUOUS_NAME if several names contain the text
 */
export function findMigration(files: readonly MigrationFile[], text: string): MigrationFile {
  const exact = files.find(({ name }) => name === text);
  if (exact) return exact;
  const found = text === "" ? [] : files.filter(({ name }) => name.includes(text));
  const [only, ...others] = found;
  if (!only) {
    throw unknownMigration(
      text,
      files.map(({ name }) => name),
    );
  }
  if (others.length === 0) return only;
  throw new FormctlError(
    "AMBIGUOUS_NAME",
    `${found.length} migrations have "${text}" in their names: ${found.map(({ name }) => name).join(", ")}`,
    "Specify more of the name.",
  );
}
