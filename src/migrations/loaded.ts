/** Defines a migration that is ready to run: from a file, or defined by a program. */

import { FormctlError } from "../error.ts";
import { definitionProblems } from "./check-definition.ts";
import type { Migration } from "./definition.ts";

/** The functions of a migration. */
export type MigrationFunction = "layout" | "form" | "run" | "down";

/** A migration whose functions run with their output redirected and their errors located. */
export type LoadedMigration = {
  migration: Migration;
  /** The name of the file in messages. Undefined for a migration that a program defines. */
  file: string | undefined;
  /**
   * Runs a function of the migration. What the function prints with `console` or `process.stdout` does not reach
   * stdout, and `process.exit` throws. If the work returns a promise that never settles, the returned promise is
   * rejected when the process has nothing left to do.
   *
   * @throws LocatedError for an error of the function: MIGRATION_FAILED, or an error with the exit code of the thrown
   *   FormctlError or ServiceError, at the line of the file. The returned promise is rejected in the same way
   */
  call: <T>(member: MigrationFunction, work: () => T) => T;
  /** Returns the error for a result of a function that can't be used: MIGRATION_INVALID, at the function. */
  refuse: (member: MigrationFunction, message: string, hint?: string) => FormctlError;
};

/** Returns a migration that a program defines. Its output stays as it is, and its errors have no location. */
export function definedMigration(migration: Migration): LoadedMigration {
  const [problem] = definitionProblems({ default: migration });
  if (problem) throw new FormctlError("MIGRATION_INVALID", problem.message);
  return {
    migration,
    file: undefined,
    call: (_member, work) => work(),
    refuse: (member, message, hint) => new FormctlError("MIGRATION_INVALID", `${member}: ${message}`, hint),
  };
}
