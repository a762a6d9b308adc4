/**
 * Collects the errors of a migration that no call of formctl receives: rejections of promises that the migration does
 * not await, and errors in its timers. Without this module, Node would print a stack and end the process.
 */

/** The stray errors of one migration. */
export type StrayErrors = {
  /** Called for each stray error. */
  add: (error: unknown) => void;
  /**
   * Waits for a promise, and one turn of the event loop longer: Node reports unhandled rejections at the end of a turn.
   *
   * @throws what `promise` throws, or the first stray error
   */
  after<T>(promise: Promise<T>): Promise<T>;
  /** @throws the first stray error */
  check(): void;
};

/**
 * @param locate converts an error to the error to throw
 * @param report prints an error that was never thrown, for example of a timer after the end of the work. Called when the
 *   process exits; the exit code is then at least 1
 */
export function strayErrors(locate: (error: unknown) => Error, report: (error: Error) => void): StrayErrors {
  let first: Error | undefined;
  let isThrown = false;
  const check = () => {
    if (!first) return;
    isThrown = true;
    throw first;
  };
  return {
    add(error) {
      if (first) return;
      first = locate(error);
      process.once("exit", () => {
        if (isThrown) return;
        report(first!);
        process.exitCode ||= 1;
      });
    },
    async after(promise) {
      const result = await promise;
      await new Promise(setImmediate);
      check();
      return result;
    },
    check,
  };
}
