import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import sql, { raw } from "sql-template-tag";
import { describe, expect, it, vi } from "vitest";
import { connect } from "../../src/store/sqlite-connection.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { ConstraintViolation, StoreError, type Store, type Tx } from "../../src/store/store.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();

function newStore(): { store: Store; path: string } {
  const path = join(folder(), "store.db");
  return { store: openSqlite(path, { create: true }), path };
}

const add = (tx: Tx, id: string) => tx.run(sql`INSERT INTO organizations VALUES (${id}, ${id}, ${id})`);
const ids = async (tx: Tx) =>
  (await tx.all<{ id: string }>(sql`SELECT id FROM organizations ORDER BY id`)).map((r) => r.id);
const pause = () => new Promise((resolve) => setImmediate(resolve));

describe("a connection", () => {
  it.each(["look", "open"] as const)("has a cache of 32 MiB in the mode %s", async (mode) => {
    const { store, path } = newStore();
    await store.close();
    const { db } = connect(path, mode);
    expect(db.prepare("PRAGMA cache_size").get()).toEqual({ cache_size: -32 * 1024 });
    db.close();
  });

  it("opens a store that another process creates after any of its first statements", () => {
    const prepare: (this: DatabaseSync, text: string) => StatementSync = Reflect.get(DatabaseSync.prototype, "prepare");
    let statements = 0;
    for (let creation = 1; statements >= creation - 1; creation++) {
      const path = join(folder(), "store.db");
      statements = 0;
      const spy = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, text) {
        const statement = prepare.call(this, text);
        const get = statement.get.bind(statement);
        // The statement is read first, then the other process commits.
        statement.get = () => {
          const read = get();
          if (++statements === creation && !this.isTransaction) {
            spy.mockImplementation(prepare);
            connect(path, "create").db.close();
          }
          return read;
        };
        return statement;
      });
      connect(path, "create").db.close();
      spy.mockRestore();
    }
    expect(statements).toBeGreaterThan(3);
  });
});

describe("a transaction", () => {
  it("is committed after its function returns", async () => {
    const { store, path } = newStore();
    await store.write((tx) => add(tx, "a"));
    await store.close();
    const again = openSqlite(path, { create: false });
    expect(await again.read(ids)).toEqual(["a"]);
    await again.close();
  });

  it("is rolled back if its function throws, and the next one works", async () => {
    const { store } = newStore();
    const failing = store.write(async (tx) => {
      await add(tx, "a");
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await store.write((tx) => add(tx, "b"));
    expect(await store.read(ids)).toEqual(["b"]);
    await store.close();
  });

  it("is rolled back if one of its writes is refused", async () => {
    const { store } = newStore();
    const failing = store.write(async (tx) => {
      await add(tx, "a");
      await add(tx, "a");
    });
    await expect(failing).rejects.toThrow(ConstraintViolation);
    await expect(failing).rejects.toThrow("UNIQUE constraint failed: organizations.key");
    expect(await store.read(ids)).toEqual([]);
    await store.close();
  });

  it("is isolated from interleaved transactions", async () => {
    const { store } = newStore();
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? store.write(async (tx) => {
              await add(tx, `${index}-first`);
              await pause();
              await add(tx, `${index}-second`);
              return 0;
            })
          : store.read(async (tx) => {
              const before = await ids(tx);
              await pause();
              const after = await ids(tx);
              return before.join() === after.join() ? before.length : -1;
            }),
      ),
    );
    // Every read is between two writes, and transactions run in the order of the calls.
    expect(counts.filter((_, index) => index % 2 === 1)).toEqual(Array.from({ length: 20 }, (_, n) => 2 * (n + 1)));
    await store.close();
  });

  it("shares its flush with waiting transactions, and does not roll them back when it fails", async () => {
    const { store, path } = newStore();
    const exec = vi.spyOn(DatabaseSync.prototype, "prepare");
    const writes = Array.from({ length: 100 }, (_, index) =>
      store.write(async (tx) => {
        await add(tx, `o${index}`);
        if (index % 3 === 0) throw new Error(`no ${index}`);
        return index;
      }),
    );
    const outcomes = await Promise.all(writes.map((write) => write.catch((error: Error) => error.message)));
    expect(outcomes).toEqual(writes.map((_, index) => (index % 3 === 0 ? `no ${index}` : index)));
    expect(exec.mock.calls.flat()).toContain("SAVEPOINT own");
    exec.mockRestore();
    const expected = Array.from({ length: 100 }, (_, index) => index).filter((index) => index % 3 !== 0);
    const another = openSqlite(path, { create: false });
    expect((await another.read(ids)).sort()).toEqual(expected.map((index) => `o${index}`).sort());
    await another.close();
    await store.close();
  });

  it("runs once without a savepoint if no other one fails after a write", async () => {
    const { store } = newStore();
    const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
    const runs: string[] = [];
    const writes = ["a", "refused", "b"].map((id) =>
      store.write(async (tx) => {
        runs.push(id);
        const before = await ids(tx);
        if (id === "refused") throw new Error("no");
        await add(tx, id);
        return before;
      }),
    );
    const [first, refused, last] = await Promise.allSettled(writes);
    expect(first).toMatchObject({ value: [] });
    expect(refused).toMatchObject({ reason: new Error("no") });
    expect(last).toMatchObject({ value: ["a"] });
    expect(runs).toEqual(["a", "refused", "b"]);
    expect(prepare.mock.calls.flat()).not.toContain("SAVEPOINT own");
    prepare.mockRestore();
    await store.close();
  });

  it("runs again after another one failed after a write, and returns what it read then", async () => {
    const { store } = newStore();
    const runs: string[] = [];
    const writes = ["a", "refused", "b"].map((id) =>
      store.write(async (tx) => {
        runs.push(id);
        await add(tx, id);
        if (id === "refused") throw new Error("no");
        return ids(tx);
      }),
    );
    const [first, refused, last] = await Promise.allSettled(writes);
    expect(first).toMatchObject({ value: ["a"] });
    expect(refused).toMatchObject({ reason: new Error("no") });
    expect(last).toMatchObject({ value: ["a", "b"] });
    expect(runs).toEqual(["a", "refused", "a", "refused", "b"]);
    expect(await store.read(ids)).toEqual(["a", "b"]);
    await store.close();
  });

  it("resolves only after its commit, whose failure affects all transactions that share it", async () => {
    const { store } = newStore();
    await store.write((tx) => add(tx, "kept"));
    const writes = [
      store.write((tx) => add(tx, "a")),
      // A full disk within a statement rolls back the whole transaction.
      store.write(async (tx) => {
        await tx.run(raw("ROLLBACK"));
        throw new Error("the disk is full");
      }),
      store.write((tx) => add(tx, "b")),
    ];
    for (const write of writes) await expect(write).rejects.toThrow("the disk is full");
    expect(await store.read(ids)).toEqual(["kept"]);
    await store.close();
  });

  it("can't be used after its end", async () => {
    const { store } = newStore();
    let cache: Tx | undefined;
    await store.write(async (tx) => (cache = tx));
    await expect(add(cache!, "a")).rejects.toThrow("the transaction has ended");
    await store.close();
  });

  it("can't write if it is a read", async () => {
    const { store } = newStore();
    await expect(store.read((tx) => add(tx, "a"))).rejects.toThrow(StoreError);
    await store.write((tx) => add(tx, "b"));
    expect(await store.read(ids)).toEqual(["b"]);
    await store.close();
  });

  it("is refused after the store is closed, while earlier ones finish", async () => {
    const { store } = newStore();
    const last = store.write(async (tx) => {
      await pause();
      return add(tx, "a");
    });
    await store.close();
    expect(await last).toBe(1);
    await expect(store.read(ids)).rejects.toMatchObject({ code: "STORE_CLOSED" });
    await store.close();
  });
});

describe("a query", () => {
  it("keeps texts, numbers, nulls and every JSON character", async () => {
    const { store } = newStore();
    const text = "zażółć 🦊 'quoted' \"twice\" \u202e \u0085 ? $1 :x";
    await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('k', ${text})`));
    const row = await store.read((tx) =>
      tx.first(sql`SELECT value, length(value) AS size, ${null} AS missing FROM meta WHERE key = ${"k"}`),
    );
    expect(row).toEqual({ value: text, size: Array.from(text).length, missing: null });
    await store.close();
  });

  it("returns undefined, no rows and no changes for an empty result", async () => {
    const { store } = newStore();
    await store.write(async (tx) => {
      expect(await tx.first(sql`SELECT * FROM meta`)).toBeUndefined();
      expect(await tx.all(sql`SELECT * FROM meta`)).toEqual([]);
      expect(await tx.run(sql`DELETE FROM meta`)).toBe(0);
    });
    await store.close();
  });

  it("is prepared once, and the oldest statements are dropped", async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
    const { store } = newStore();
    const ask = (number: number) => store.read((tx) => tx.all(raw(`SELECT ${number} AS it`)));
    const prepared = () => prepare.mock.calls.filter(([text]) => text.endsWith(" AS it")).length;
    for (let time = 0; time < 3; time++) await ask(0);
    expect(prepared()).toBe(1);
    for (let number = 1; number <= 200; number++) await ask(number);
    await ask(200);
    expect(prepared()).toBe(201);
    await ask(0);
    expect(prepared()).toBe(202);
    prepare.mockRestore();
    await store.close();
  });

  it("with a syntax error is a programming error, not a store error", async () => {
    const { store } = newStore();
    const failing = store.read((tx) => tx.all(sql`SELEC 1`));
    await expect(failing).rejects.toThrow('near "SELEC": syntax error');
    await expect(failing).rejects.not.toBeInstanceOf(StoreError);
    await store.close();
  });
});

describe("two connections", () => {
  it("can be opened and read while the other one writes", async () => {
    const { store, path } = newStore();
    await store.write(async (tx) => {
      await add(tx, "a");
      const other = openSqlite(path, { create: false });
      expect(await other.read(ids)).toEqual([]);
      await other.close();
    });
    await store.close();
  });

  it("see each other's writes at their next transaction, and not during one", async () => {
    const { store, path } = newStore();
    const other = openSqlite(path, { create: false });
    await store.read(async (tx) => {
      expect(await ids(tx)).toEqual([]);
      await other.write((inner) => add(inner, "a"));
      expect(await ids(tx)).toEqual([]);
    });
    expect(await store.read(ids)).toEqual(["a"]);
    await other.close();
    await store.close();
  });

  it("wait for each other's writes without blocking the event loop", async () => {
    const { store, path } = newStore();
    const other = openSqlite(path, { create: false });
    const slow = store.write(async (tx) => {
      await add(tx, "a");
      await setTimeout(200);
    });
    await Promise.all([slow, other.write((tx) => add(tx, "b"))]);
    expect(await store.read(ids)).toEqual(["a", "b"]);
    await other.close();
    await store.close();
  });

  it("shrink the log after a long read", async () => {
    const { store, path } = newStore();
    const other = openSqlite(path, { create: false });
    await other.read(async (tx) => {
      await ids(tx);
      const body = "x".repeat(1_000_000);
      for (let time = 0; time < 75; time++)
        await store.write((inner) => inner.run(sql`INSERT OR REPLACE INTO meta VALUES ('k', ${body + time})`));
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(70_000_000);
    });
    for (let time = 0; time < 2; time++) await store.write((tx) => tx.run(sql`DELETE FROM meta`));
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(67_108_864);
    await other.close();
    await store.close();
  });
});

describe("the cache of a store", () => {
  const keep = (store: Store) => store.write(async (tx) => void tx.cache.set("name", "kept"));
  const cache = (store: Store) => store.read(async (tx) => tx.cache.get("name"));

  it("is kept for later transactions, also after writes of the same connection", async () => {
    const { store } = newStore();
    await keep(store);
    await store.write((tx) => add(tx, "a"));
    expect(await cache(store)).toBe("kept");
    await store.close();
  });

  it("is cleared when a write is rolled back, alone or with others", async () => {
    const { store } = newStore();
    const fail = () => store.write(() => Promise.reject(new Error("changed my mind")));
    await keep(store);
    await expect(fail()).rejects.toThrow("changed my mind");
    expect(await cache(store)).toBeUndefined();
    await keep(store);
    await Promise.allSettled([store.write((tx) => add(tx, "a")), fail()]);
    expect(await cache(store)).toBeUndefined();
    await store.close();
  });

  it("is cleared when another connection writes, but not when it reads", async () => {
    const { store, path } = newStore();
    const other = openSqlite(path, { create: false });
    await keep(store);
    await other.read(ids);
    expect(await cache(store)).toBe("kept");
    await other.write((tx) => add(tx, "a"));
    expect(await cache(store)).toBeUndefined();
    await other.close();
    await store.close();
  });
});
