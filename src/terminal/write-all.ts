/** Writes a whole text to a descriptor at once, however little of it the other side takes at a time. */

import { FormctlError } from "../error.ts";

import { writeSync } from "node:fs";

type Write = (fd: number, bytes: Uint8Array, offset: number) => number;

const RETRY_MS = 1;

/** The output can't be written, as on a full disk. */
export function unwritableOutput(cause: Error): FormctlError {
  return new FormctlError(
    "OUTPUT_UNWRITABLE",
    `the answer can't be written: ${cause.message}`,
    "What the command was to do is done; only its answer is missing.",
    cause,
  );
}

/**
 * Returns false when nobody reads any more (a closed pipe, as in `| head -1`): the caller then stops writing, and that is
 * no failure. A pipe that is full is waited for, as long as it takes.
 *
 * @throws OUTPUT_UNWRITABLE
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
      if (code !== "EAGAIN") throw unwritableOutput(error as Error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return true;
}
