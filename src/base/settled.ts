/** Promises that may fail before they are awaited. Without this, Node would report such an error as unhandled. */

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
