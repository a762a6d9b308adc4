/** Detects promises that never settle. */

import { FormctlError } from "../base/error.ts";

/**
 * Waits for a promise. If the process has nothing left to do before the promise settles, the promise never settles.
 * Without this check, the process would then end as if the work were done.
 *
 * @throws MIGRATION_FAILED if the promise never settles
 */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  let end = () => {};
  const never = new Promise<never>((_resolve, reject) => {
    end = () => reject(neverSettles());
    process.once("beforeExit", end);
  });
  try {
    return await Promise.race([promise, never]);
  } finally {
    process.removeListener("beforeExit", end);
  }
}

function neverSettles(): FormctlError {
  return new FormctlError(
    "MIGRATION_FAILED",
    "the migration waits for a promise that never settles",
    "Check each promise that the migration awaits.",
  );
}
