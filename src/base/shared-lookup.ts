/** Looks up values for several callers at once. */

import { setImmediate } from "node:timers/promises";

/**
 * Returns a function that looks up one value. All calls that wait share the next look-up, and it begins after the last of
 * them: so each caller gets a value that is as new as its call. One look-up runs at a time.
 *
 * @param look looks up the values of all keys. A key without a value is missing in the result
 */
export function shareLookups<Value>(
  look: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting = new Set<string>();
  let next: Promise<ReadonlyMap<string, Value>> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  const lookNext = async (before: Promise<unknown>) => {
    await before;
    // Calls of the same round of the event loop share a look-up.
    await setImmediate();
    const keys = [...waiting];
    [waiting, next] = [new Set(), undefined];
    return look(keys);
  };
  return async (key) => {
    waiting.add(key);
    if (!next) {
      next = lookNext(running);
      running = next.catch(() => undefined);
    }
    return (await next).get(key);
  };
}
