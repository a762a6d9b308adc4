/** How long work of a server goes on without a break: other requests, and signals, have their turn in between. */

/** How long the event loop may wait for work that can be interrupted. */
const SHARE_MS = 20;

let since = 0;
let queue = Promise.resolve();

/**
 * Lets whatever else is waiting run, where the last break was a while ago. Of several that take a break, each goes on in a
 * round of the event loop of its own: many long requests at once don't add up to one long wait.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - since < SHARE_MS) return;
  queue = queue.then(() => new Promise((resolve) => setImmediate(resolve)));
  await queue;
  since = performance.now();
}
