/** Returns random bytes and UUIDs for ids. */

import { randomBytes as bytesOfNode } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns random bytes of the operating system. Reads /dev/urandom if it exists. Loading `node:crypto` instead would
 * take a tenth of the time of a short command.
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

/** Returns a random UUID (RFC 9562, version 4), such as the id of a write. */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
