/** Defines a migration that is ready to run: from a file, or defined by a program. */

import { FormctlError } from "../error.ts";
import { definitionProblems } from "./check-definition.ts";
import type { Migration } from "./definition.ts";

export type MigrationFunction = "layout" | "form" | "run" | "down";

/** A migration that is ready to run. The output of its functions is redirected, and their errors are located. */
export type LoadedMigration = {
  migration: Migration;
  /** The name of the file in messages. Undefined for a migration that a program defines. */
  file: string | undefined;
  /**
   * Runs a function of the migration. What the function prints with `console` or `process.stdout` does not reach
   * stdout. `process.exit` throws. `work` may return a promise that never settles. The returned promise is then
   * rejected when the process has nothing left to do.
   *
   * An error that the migration does not handle, such as the rejection of a promise that it does not await, is thrown by
   * the call that runs, or by the next call.
   *
   * @throws LocatedError for an error of the function, at the line of the file. Its code is MIGRATION_FAILED, or its
   *   exit code is that of the thrown FormctlError or ServiceError. The returned promise is rejected with the same
   *   errors
   */
  call: <T>(member: MigrationFunction, work: () => T) => T;
  /** Returns the error for an unusable result of a function: MIGRATION_INVALID, at the function. */
  refuse: (member: MigrationFunction, message: string, hint?: string) => FormctlError;
};

/** Returns a migration that a program defines. Its output is not redirected. Its errors have no location. */
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
