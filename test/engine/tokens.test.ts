/** The format of tokens, and their storage as a hash. */

import * as fc from "fast-check";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { formatToken, isWellFormedToken } from "../../src/base/secret.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const randomBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("a token", () => {
  it("is a prefix, 43 characters of base64url and 6 of base62", () => {
    expect(formatToken(new Uint8Array(32))).toMatch(/^fctl_A{43}[0-9A-Za-z]{6}$/);
    expect(formatToken(new Uint8Array(32).fill(255))).toMatch(/^fctl_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  });

  it("is well formed, and not after any change of one character", () => {
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

  it("is not well formed with additional text before or after it", () => {
    const token = formatToken(new Uint8Array(32));
    for (const other of ["", ` ${token}`, `${token}\n`, token.slice(0, -1), `${token}0`, `Bearer ${token}`])
      expect(isWellFormedToken(other)).toBe(false);
  });

  it("is not stored in plain text in the files of the store", async () => {
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

  it("is refused at once after it is revoked or expired by another process, if the store has no version", async () => {
    const path = join(folder(), "store.db");
    const clock = { now: new Date("2026-03-02T09:00:00Z") };
    const open = (create: boolean) =>
      openLocalService({ store: openSqlite(path, { create }), now: () => clock.now, newId: randomId });
    const [server, other] = [open(true), open(false)];
    await other.seed({ organizations: [{ key: "fabrikam", name: "Fabrikam" }] });
    const create = (name: string, expiresAt: string | null) => other.createToken({ name, permissions: [], expiresAt });
    const [revoked, expired] = [await create("a", null), await create("b", "2026-03-02T09:00:10Z")];
    const refusals: unknown[] = [];
    const isAccepted = async ({ token }: { token: string }) =>
      (await server.authenticate(token, (refusal) => void refusals.push(refusal))) !== undefined;
    expect(server.version()).toBeUndefined();
    expect([await isAccepted(revoked), await isAccepted(expired)]).toEqual([true, true]);
    await other.revokeToken(revoked.id);
    clock.now = new Date("2026-03-02T09:00:10Z");
    expect([await isAccepted(revoked), await isAccepted(expired)]).toEqual([false, false]);
    expect(refusals).toEqual([
      { reason: "revoked", tokenId: revoked.id },
      { reason: "expired", tokenId: expired.id },
    ]);
    await Promise.all([server.close(), other.close()]);
  });
});
