/** The digest of short data is computed by another implementation. It must equal the digest of node:crypto. */

import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 } from "../src/sha256.ts";
import { propertyRuns } from "./effort.ts";

const expected = (data: string | Uint8Array) => createHash("sha256").update(data);

it("equals the digest of node:crypto for texts and bytes of any length", () => {
  const data = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6_000 }),
    fc.uint8Array({ maxLength: 6_000 }),
    fc.nat({ max: 5_000 }).map((length) => "ż".repeat(length)),
  );
  fc.assert(
    fc.property(data, (each) => {
      expect(sha256(each)).toBe(expected(each).digest("hex"));
      expect(sha256(each, "base64url")).toBe(expected(each).digest("base64url"));
    }),
    { numRuns: propertyRuns(500), examples: [[""], ["a".repeat(4_096)], ["a".repeat(4_097)], ["\ud800"]] },
  );
});
