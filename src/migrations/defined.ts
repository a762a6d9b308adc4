/** Makes a migration that a program defines ready to run. Its output is not redirected, and its errors have no location. */

import { FormctlError } from "../base/error.ts";
import { definitionProblems } from "./check-definition.ts";
import type { Migration } from "./definition.ts";
import type { LoadedMigration } from "./loaded.ts";

/** @throws MIGRATION_INVALID if the object is no migration */
export function definedMigration(migration: Migration): LoadedMigration {
  const [problem] = definitionProblems({ default: migration });
  if (problem) throw new FormctlError("MIGRATION_INVALID", problem.message);
  return {
    migration,
    file: "the migration",
    call: (_member, work) => work(),
    refuse: (member, message, hint) => new FormctlError("MIGRATION_INVALID", `${member}: ${message}`, hint),
  };
}
