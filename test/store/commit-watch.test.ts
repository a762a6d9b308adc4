import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import sql from "sql-template-tag";
import { watchCommits } from "../../src/store/commit-watch.ts";
import { openSqlite, openSqliteForServing } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
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

/** Moves the store away and creates another store in `path`, as another process can. Returns the new path. */
async function replaceStore(path: string): Promise<string> {
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.old${suffix}`);
  }
  await openSqlite(path, { create: true }).close();
  return `${path}.old`;
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

  it("is undefined when it is opened after another store was created in the path", async () => {
    const { path, watch } = open();
    expect(watch.version()).toBeDefined();
    watch.close();
    expect(watch.version()).toBeDefined();
    watch.close();
    await replaceStore(path);
    expect(watch.version()).toBeUndefined();
  });
});

describe("the version of a store for serving, after another store was created in its path", () => {
  async function openServed() {
    const path = join(folder(), "store.db");
    await openSqlite(path, { create: true }).close();
    const store = openSqliteForServing(path);
    onTestFinished(() => store.close());
    return { path, store };
  }
  const values = (store: Store) => store.read((tx) => tx.all(sql`SELECT value FROM meta WHERE key = 'a'`));

  it("changes with each commit to the store that is open", async () => {
    const { path, store } = await openServed();
    expect(await values(store)).toEqual([]);
    await replaceStore(path);
    const before = store.version?.();
    await store.write((tx) => tx.run(WRITE));
    expect(await values(store)).toEqual([{ value: "1" }]);
    expect([typeof before, store.version?.() === before]).toEqual(["number", false]);
  });

  it("is undefined if reads use the other store, because they are the first", async () => {
    const { path, store } = await openServed();
    expect(store.version?.()).toBeDefined();
    await replaceStore(path);
    await values(store);
    expect(store.version?.()).toBeUndefined();
  });

  it("is undefined if reads use the other store, because they have a new connection", async () => {
    const { path, store } = await openServed();
    await values(store);
    expect(store.version?.()).toBeDefined();
    const old = new DatabaseSync(await replaceStore(path));
    // The store is opened again when its schema has changed.
    old.exec("PRAGMA user_version = 99");
    old.close();
    await values(store);
    expect(store.version?.()).toBeUndefined();
  });
});
