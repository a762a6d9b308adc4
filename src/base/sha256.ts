/** Computes the SHA-256 digest of a text or of bytes. */

import { hash } from "node:crypto";

export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex"): string {
  return hash("sha256", data, encoding);
}
