/** Returns random bytes for ids. */

import { randomBytes as bytesOfNode } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns random bytes of the operating system. Reads /dev/urandom if it exists, because loading `node:crypto` takes a
 * tenth of the time of a short command.
 */
export function randomBytes(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  let device: number | undefined;
  try {
    device = openSync("/dev/urandom", "r");
    if (readSync(device, bytes) === length) return bytes;
  } catch {
    // The system has no /dev/urandom, as on Windows.
  } finally {
    if (device !== undefined) closeSync(device);
  }
  return bytesOfNode(length);
}
