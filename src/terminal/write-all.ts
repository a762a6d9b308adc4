/** Writes a whole text to a descriptor at once, however little of it the other side takes at a time. */

import { writeSync } from "node:fs";

type Write = (fd: number, bytes: Uint8Array, offset: number) => number;

const RETRY_MS = 1;

/** What was to be said can't be written, as on a full disk. */
export class UnwritableOutput extends Error {
  override readonly name = "UnwritableOutput";
  readonly hint = "What the command was to do is done; only its answer is missing.";

  constructor(cause: Error) {
    super(`the answer can't be written: ${cause.message}`, { cause });
  }
}

/**
 * Returns false when nobody reads any more (a closed pipe, as in `| head -1`): the caller then stops writing, and that is
 * no failure. A pipe that is full is waited for, as long as it takes.
 *
 * @throws UnwritableOutput
 */
export function writeAll(fd: number, text: string, write: Write = writeSync): boolean {
  const bytes = Buffer.from(text);
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += write(fd, bytes, offset);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE" || code === "EOF") return false;
      if (code !== "EAGAIN") throw new UnwritableOutput(error as Error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return true;
}
