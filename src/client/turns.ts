/** Lets answers that arrive together be processed one after another, with requests sent in between. */

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop in which no other answer is processed.
 *
 * Without it, the answers that arrive together are all processed before the first of their next requests is sent. The
 * server then waits during the whole processing, and the next answers arrive together again.
 */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting[0]!();
  // The caller continues after this function, and sends its next request before the following turn.
  setImmediate(() => {
    waiting.shift();
    if (waiting.length > 0) next();
  });
}
