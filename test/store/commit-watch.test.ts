import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import sql from "sql-template-tag";
import { watchCommits } from "../../src/store/commit-watch.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const WRITE = sql`INSERT INTO meta (key, value) VALUES ('a', '1') ON CONFLICT DO UPDATE SET value = value || '1'`;

function open() {
  const path = join(folder(), "store.db");
  const store = openSqlite(path, { create: true });
  const watch = watchCommits(path);
  onTestFinished(async () => {
    watch.close();
    await store.close();
  });
  return { path, store, watch };
}

describe("the watch of commits", () => {
  it("returns another number after each commit, and the same number otherwise", async () => {
    const { store, watch } = open();
    const seen = new Set([watch.version()]);
    for (let commits = 1; commits < 5; commits++) {
      await store.write((tx) => tx.run(WRITE));
      seen.add(watch.version());
      await store.read((tx) => tx.first(sql`SELECT * FROM meta`));
      expect(seen).toContain(watch.version());
      expect(seen.size).toBe(commits + 1);
    }
  });

  it("does not change with a transaction that is rolled back, and notices one that commits later", async () => {
    const { store, watch } = open();
    const before = watch.version();
    await expect(
      store.write(async (tx) => {
        await tx.run(WRITE);
        expect(watch.version()).toBe(before);
        throw new Error("refused");
      }),
    ).rejects.toThrow("refused");
    expect(watch.version()).toBe(before);
  });

  it("is undefined at once while another program locks the store completely, and another number afterwards", async () => {
    const { path, store, watch } = open();
    const before = watch.version();
    watch.close();
    await store.close();
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE planted (a)");
    const start = performance.now();
    expect([watch.version(), watch.version()]).toEqual([undefined, undefined]);
    expect(performance.now() - start).toBeLessThan(1_000);
    other.close();
    expect(watch.version()).toBeGreaterThan(before!);
  });

  it("is undefined for a missing store", () => {
    const watch = watchCommits(join(folder(), "missing.db"));
    expect(watch.version()).toBeUndefined();
  });
});
