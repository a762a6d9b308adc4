/** Lets contents that arrive together be processed one after another, with requests sent in between. */

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Waits for a turn of the event loop in which no other content is processed.
 *
 * Without this wait, the contents that arrive together are all processed before the next requests are sent and the next
 * answers are received. The server then waits during the whole processing, and the next answers arrive together again.
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
  // The waiting caller of `turn` continues when this function has returned, before the following turn.
  resolve();
  setImmediate(next);
}
