/** Defines a migration that is ready to run. */

import type { FormctlError } from "../base/error.ts";
import type { OperationName } from "../schemas/operations.ts";
import type { Migration } from "./definition.ts";

export type MigrationFunction = "layout" | "form" | "run" | "down";

/** A write of a script. */
export type ScriptWrite = { step: string; operation: OperationName; input: Readonly<Record<string, unknown>> };

/** A migration that is ready to run. The output of its functions is redirected, and their errors are located. */
export type LoadedMigration = {
  migration: Migration;
  /** The name of the file in messages. */
  file: string;
  /**
   * The creations of a script in YAML before its first step that may change or delete a name. `isWhole` is true if no
   * such step follows. Absent for other migrations.
   */
  firstWrites?: { writes: readonly ScriptWrite[]; isWhole: boolean };
  /** The steps of a script in YAML, as its file lists them. Absent for other migrations. */
  listedSteps?: readonly Pick<ScriptWrite, "step" | "operation">[];
  /** Whether each step compares its recorded answer with the target. True for a script in YAML. */
  checksAnswers?: true;
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
