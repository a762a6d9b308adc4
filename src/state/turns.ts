/** Spreads the processing of contents over turns of the event loop, so that requests are sent in between. */

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Waits for a turn of the event loop in which no other content is processed.
 *
 * Without this wait, all contents that arrive together would be processed first. Only then would formctl send the next
 * requests and receive the next answers. The server would wait during the whole processing, and the next answers would
 * arrive together again.
 */
export async function turn(): Promise<void> {
  if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
  else {
    isTaken = true;
    setImmediate(next);
  }
}

function next(): void {
  const resolve = waiting.shift();
  if (!resolve) {
    isTaken = false;
    return;
  }
  // The waiting caller of `turn` continues after this function returns, and before the following turn.
  resolve();
  setImmediate(next);
}
