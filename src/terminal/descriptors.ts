/** Accesses the standard streams by descriptor. The streams of `process` take start-up time to create. */

import { writeSync } from "node:fs";
import { FormctlError } from "../base/error.ts";

type Write = (fd: number, bytes: Uint8Array, offset: number) => number;

const RETRY_MS = 1;

export function unwritableOutput(cause: Error): FormctlError {
  return new FormctlError(
    "OUTPUT_UNWRITABLE",
    `can't write the output: ${cause.message}`,
    "The command itself is done; only its output is missing.",
    cause,
  );
}

/**
 * Writes a whole text. If the pipe is full, waits for its reader.
 *
 * @returns false if the reader has closed the pipe, as in `| head -1`. Then the caller stops writing: this is no
 *   failure
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
