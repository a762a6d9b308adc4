/** Lets answers that arrive together be processed one after another, with requests sent in between. */

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Waits for a turn of the event loop in which no other answer is processed.
 *
 * Without this wait, the answers that arrive together are all processed before the first of their next requests is
 * sent. The server then waits during the whole processing, and the next answers arrive together again.
 */
export async function turn(): Promise<void> {
  // undici frees a connection one turn after its answer. A request that is sent earlier opens another connection.
  await new Promise(setImmediate);
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
  // The caller continues after this function, and sends its next request before the following turn.
  resolve();
  setImmediate(next);
}
