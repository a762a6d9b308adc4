/** What a token looks like, and what is left of it in the store. */

import * as fc from "fast-check";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { formatToken, isWellFormedToken } from "../../src/secret.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const randomBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("a token", () => {
  it("is a prefix, 43 characters of base64url and 6 of base62", () => {
    expect(formatToken(new Uint8Array(32))).toMatch(/^fctl_A{43}[0-9A-Za-z]{6}$/);
    expect(formatToken(new Uint8Array(32).fill(255))).toMatch(/^fctl_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  });

  it("is well formed, and with any one character changed it is not", () => {
    fc.assert(
      fc.property(
        randomBytes,
        fc.nat(53),
        fc.constantFrom("0", "9", "a", "Z", "_", "-"),
        (bytes, position, character) => {
          const token = formatToken(bytes);
          const other = token.slice(0, position) + character + token.slice(position + 1);
          expect(isWellFormedToken(token)).toBe(true);
          expect(isWellFormedToken(other)).toBe(other === token);
        },
      ),
    );
  });

  it("is not well formed with anything before or after it", () => {
    const token = formatToken(new Uint8Array(32));
    for (const other of ["", ` ${token}`, `${token}\n`, token.slice(0, -1), `${token}0`, `Bearer ${token}`])
      expect(isWellFormedToken(other)).toBe(false);
  });

  it("leaves no trace of its secret in the store's files", async () => {
    const path = join(folder(), "store.db");
    const local = openLocalService({
      store: openSqlite(path, { create: true }),
      now: () => new Date("2026-03-02T09:00:00Z"),
      newId: randomId,
    });
    await local.seed({ organizations: [{ key: "fabrikam", name: "Fabrikam" }] });
    const made = await Promise.all(
      ["a", "b"].map((name) => local.createToken({ name, permissions: [], expiresAt: null })),
    );
    expect(new Set(made.map(({ token }) => token)).size).toBe(2);
    for (const file of [path, `${path}-wal`]) {
      const bytes = await readFile(file, "latin1");
      for (const { token } of made) expect(bytes).not.toContain(token.slice(5, 48));
    }
    await local.close();
  });
});
