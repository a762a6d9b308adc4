/** Computes the SHA-256 digest of a text or of bytes. */

import { hash } from "node:crypto";
import { sha256 as shortSha256 } from "@noble/hashes/sha2.js";

/**
 * Loading `node:crypto` takes a tenth of the time of a short command. So the first `FEW` digests of data up to the
 * length `SHORT` are computed in JavaScript. `node:crypto` computes all other digests, because it is many times faster.
 */
const SHORT = 4_096;
const FEW = 100;

let shortDigests = 0;

export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex"): string {
  if (data.length > SHORT || shortDigests >= FEW) return hash("sha256", data, encoding);
  shortDigests++;
  return Buffer.from(shortSha256(Buffer.from(data))).toString(encoding);
}
