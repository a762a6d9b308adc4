/** Promises that are awaited later than they may fail. Without this, Node would report an error that nobody awaits yet. */

export type Settled<T> = { result: T } | { error: unknown };

export function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** @throws the error of the work */
export function resultOf<T>(outcome: Settled<T>): T {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}
