/** Computes the SHA-256 digest of a text or of bytes. */

import { nodeCrypto } from "./node-modules.ts";

export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url" = "hex"): string {
  return nodeCrypto().hash("sha256", data, encoding);
}
