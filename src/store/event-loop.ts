/** Lets a server handle other requests and signals during a long request. */

/** How long interruptible work may block the event loop, in milliseconds. */
const MAX_BLOCK_MS = 20;

let lastYield = 0;
let queue = Promise.resolve();

/** Same as {@link yieldIfDue}, but always returns a promise. */
export async function yieldToEventLoop(): Promise<void> {
  await yieldIfDue();
}

/**
 * Yields to the event loop if the last yield was more than 20 ms ago. Concurrent callers continue in separate rounds of
 * the event loop. So many long requests do not add up to one long block.
 *
 * @returns undefined if no wait is necessary
 */
export function yieldIfDue(): Promise<void> | undefined {
  return performance.now() - lastYield < MAX_BLOCK_MS ? undefined : yieldNow();
}

async function yieldNow(): Promise<void> {
  queue = queue.then(() => new Promise((resolve) => setImmediate(resolve)));
  await queue;
  lastYield = performance.now();
}
