/** Returns random bytes for ids. */

import { randomBytes as bytesOfNode } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns random bytes of the operating system. Reads its device where it has one, because loading `node:crypto` takes
 * a tenth of the time of a short command.
 */
export function randomBytes(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  let device: number | undefined;
  try {
    device = openSync("/dev/urandom", "r");
    if (readSync(device, bytes) === length) return bytes;
  } catch {
    // The system has no such device, as on Windows.
  } finally {
    if (device !== undefined) closeSync(device);
  }
  return bytesOfNode(length);
}
