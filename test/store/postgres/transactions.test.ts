/** Transactions of the store on a real PostgreSQL: what is committed, repeated and refused. */

import { setTimeout } from "node:timers/promises";
import sql from "sql-template-tag";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPostgres, type PostgresOptions, createPostgres } from "../../../src/store/postgres/postgres.ts";
import { type Store, type Tx, ConstraintViolation } from "../../../src/store/store.ts";
import { postgresOfFile } from "../../postgres.ts";
import type { PostgresServer } from "../../postgres-server.ts";
import { type Cut, startDatabaseProxy } from "../../database-proxy.ts";

const serverOfFile = await postgresOfFile();

let server: PostgresServer;
let url: string;
let opened: Store[] = [];
beforeEach(async () => {
  server = serverOfFile();
  url = server.url(await server.createDatabase());
  await createPostgres(url);
  const store = open();
  await store.write(async (tx) => {
    await tx.run(sql`INSERT INTO organizations (id, key, name) VALUES ('o1', 'one', '0'), ('o2', 'two', '0')`);
    await tx.run(sql`INSERT INTO organization_state (org_id) VALUES ('o1'), ('o2')`);
  });
});
/** A store that is never closed has a transaction that never ends. All other limits of a store are shorter. */
const CLOSE_LIMIT_MS = 20_000;
afterEach(async () => {
  const closed = Promise.all(opened.map((store) => store.close())).then(() => true);
  opened = [];
  const isClosed = await Promise.race([closed, setTimeout(CLOSE_LIMIT_MS, false, { ref: false })]);
  if (!isClosed) throw new Error(`a transaction has not ended ${CLOSE_LIMIT_MS / 1000} seconds after its test`);
});

function open(options?: PostgresOptions, at = url): Store {
  const store = openPostgres(at, options);
  opened.push(store);
  return store;
}

const nameOf = async (tx: Tx, id = "o1") =>
  (await tx.first<{ name: string }>(sql`SELECT name FROM organizations WHERE id = ${id}`))!.name;
const setName = (tx: Tx, name: string, id = "o1") =>
  tx.run(sql`UPDATE organizations SET name = ${name} WHERE id = ${id}`);
const addOne = async (tx: Tx) => void (await setName(tx, String(Number(await nameOf(tx)) + 1)));
const killCaller = async (tx: Tx) => {
  const [row] = await tx.all<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  await server.query(`SELECT pg_terminate_backend(${row!.pid}, 5000)`);
};

it("is shown to the administrator of the database with the name of the program", async () => {
  const name = await open().read((tx) =>
    tx.first(sql`SELECT application_name AS name FROM pg_stat_activity WHERE pid = pg_backend_pid()`),
  );
  expect(name).toEqual({ name: "formctl" });
});

describe("a transaction", () => {
  it("is rolled back if its work throws, and its queries fail afterwards", async () => {
    const store = open();
    let late: Tx | undefined;
    const work = store.write(async (tx) => {
      late = tx;
      await setName(tx, "lost");
      throw new Error("refused");
    });
    await expect(work).rejects.toThrow("refused");
    expect(await store.read(nameOf)).toBe("0");
    await expect(late!.run(sql`SELECT 1`)).rejects.toThrow("the transaction has ended");
  });

  it("returns the number of written rows, and whole numbers as numbers", async () => {
    const store = open();
    expect(await store.write((tx) => tx.run(sql`UPDATE organizations SET name = 'x'`))).toBe(2);
    expect(
      await store.read((tx) => tx.all(sql`SELECT count(*) AS n, 9007199254740991 AS m FROM organizations`)),
    ).toEqual([{ n: 2, m: 9007199254740991 }]);
    expect(await store.read((tx) => tx.first(sql`SELECT name FROM organizations WHERE id = 'none'`))).toBeUndefined();
  });

  it("reads one snapshot, and can't write", async () => {
    const [reader, writer] = [open(), open()];
    await reader.read(async (tx) => {
      expect(await nameOf(tx)).toBe("0");
      await writer.write((other) => setName(other, "1"));
      expect(await nameOf(tx)).toBe("0");
    });
    await expect(reader.read((tx) => setName(tx, "2"))).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    expect(await reader.read(nameOf)).toBe("1");
  });

  it("reads at serializable if the writes of the store are serializable", async () => {
    const levelOf = async (options: PostgresOptions) =>
      open(options).read((tx) => tx.first(sql`SELECT current_setting('transaction_isolation') AS level`));
    expect(await levelOf({ isolation: "serializable" })).toEqual({ level: "serializable" });
    expect(await levelOf({})).toEqual({ level: "repeatable read" });
  });

  it("runs concurrent queries of its work one after another", async () => {
    const found = await open().read((tx) => Promise.all([nameOf(tx), nameOf(tx, "o2"), nameOf(tx)]));
    expect(found).toEqual(["0", "0", "0"]);
  });

  it("fails if its work ignores a refusal of the database", async () => {
    const store = open();
    const work = store.write(async (tx) => {
      await setName(tx, "lost");
      await tx.run(sql`INSERT INTO organizations (id, key, name) VALUES ('o3', 'one', '')`).catch(() => undefined);
    });
    await expect(work).rejects.toBeInstanceOf(ConstraintViolation);
    expect(await store.read(nameOf)).toBe("0");
  });

  it("is refused after the store was closed", async () => {
    const store = openPostgres(url);
    await store.close();
    await expect(store.read(nameOf)).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });
});

describe("concurrent writes", () => {
  const addAll = async (stores: readonly Store[], orgId?: string) => {
    const writes = Array.from({ length: 20 }, (_, index) => stores[index % stores.length]!.write(addOne, orgId));
    await Promise.all(writes);
    return open().read(nameOf);
  };

  it("of an organization run one after another, in all processes", async () => {
    expect(await addAll([open({ connections: 5 }), open({ connections: 5 })], "o1")).toBe("20");
  });

  /** Runs writes at once. @returns the transactions in which they ran, without those that were rolled back */
  const together = async (store: Store, works: readonly ((tx: Tx) => Promise<unknown>)[]) => {
    const transactions: string[] = [];
    const run = (work: (tx: Tx) => Promise<unknown>) => async (tx: Tx) => {
      const [row] = await tx.all<{ id: string }>(sql`SELECT CAST(pg_current_xact_id() AS TEXT) AS id`);
      const result = await work(tx);
      return { id: row!.id, result };
    };
    const outcomes = await Promise.allSettled(works.map((work) => store.write(run(work), "o1")));
    for (const outcome of outcomes) if (outcome.status === "fulfilled") transactions.push(outcome.value.id);
    return { outcomes, transactions };
  };

  it("of an organization that wait share a commit, and see each other's changes", async () => {
    const store = open({ connections: 2 });
    const { transactions } = await together(
      store,
      Array.from({ length: 20 }, () => addOne),
    );
    expect(transactions).toHaveLength(20);
    expect(new Set(transactions).size).toBeLessThan(5);
    expect(await store.read(nameOf)).toBe("20");
  });

  it("that are refused before they write leave the commit to the others", async () => {
    const store = open();
    const refused = async (tx: Tx) => {
      await nameOf(tx);
      throw new Error("refused");
    };
    const { outcomes, transactions } = await together(store, [addOne, refused, addOne]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(new Set(transactions).size).toBe(1);
    expect(await store.read(nameOf)).toBe("2");
  });

  it.each([
    ["fail after they wrote", async (tx: Tx) => (await setName(tx, "lost"), Promise.reject(new Error("refused")))],
    ["violate a key", (tx: Tx) => tx.write(sql`INSERT INTO organizations (id, key, name) VALUES ('o3', 'one', '')`)],
  ])("that %s are rolled back alone", async (_what, work) => {
    const store = open();
    const { outcomes } = await together(store, [addOne, work, addOne]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await store.read(nameOf)).toBe("2");
  });

  it("of an organization without a state are refused", async () => {
    const store = open();
    await store.write((tx) => tx.run(sql`DELETE FROM organization_state WHERE org_id = 'o2'`));
    await expect(store.write(addOne, "o2")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it("without their organization lose updates, so that the test above shows something", async () => {
    expect(Number(await addAll([open({ connections: 5 }), open({ connections: 5 })]))).toBeLessThan(20);
  });

  it("of different organizations don't wait for each other", async () => {
    const store = open({ connections: 2 });
    await store.write(async () => {
      await store.write((tx) => setName(tx, "1", "o2"), "o2");
    }, "o1");
    expect(await store.read((tx) => nameOf(tx, "o2"))).toBe("1");
  });

  it("that conflict at serializable run again", async () => {
    const store = open({ connections: 2, isolation: "serializable" });
    let attempts = 0;
    await store.write(async (tx) => {
      const name = await nameOf(tx);
      if (attempts++ === 0) await open({ isolation: "serializable" }).write(addOne);
      await setName(tx, String(Number(name) + 1));
    });
    expect(attempts).toBe(2);
    expect(await store.read(nameOf)).toBe("2");
  });

  it("that insert a row with the same key at serializable run again", async () => {
    const store = open({ connections: 2, isolation: "serializable" });
    const insertNext = async (tx: Tx) => {
      const count = (await tx.first<{ n: number }>(sql`SELECT count(*) AS n FROM organizations`))!.n;
      await tx.run(sql`INSERT INTO organizations (id, key, name) VALUES (${`o${count + 1}`}, ${`k${count + 1}`}, '')`);
    };
    let attempts = 0;
    await store.write(async (tx) => {
      await nameOf(tx);
      if (attempts++ === 0) await open().write(insertNext);
      await insertNext(tx);
    });
    expect(attempts).toBe(2);
    expect(await store.read((tx) => tx.first(sql`SELECT count(*) AS n FROM organizations`))).toEqual({ n: 4 });
    // A duplicate that does not disappear is reported.
    const again = store.write((tx) => tx.run(sql`INSERT INTO organizations (id, key, name) VALUES ('o1', 'x', '')`));
    await expect(again).rejects.toBeInstanceOf(ConstraintViolation);
  });

  it("that deadlock run again", async () => {
    const [first, second] = [open(), open()];
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = () => (++arrived >= 2 ? both.resolve() : undefined, both.promise);
    let attempts = 0;
    const swap = (store: Store, [one, other]: readonly [string, string]) =>
      store.write(async (tx) => {
        attempts++;
        await setName(tx, "x", one);
        await meet();
        await setName(tx, "x", other);
      });
    await Promise.all([swap(first, ["o1", "o2"]), swap(second, ["o2", "o1"])]);
    // The repeated transaction can meet the other one again.
    expect(attempts).toBeGreaterThanOrEqual(3);
  });

  it("that always conflict are refused after five seconds", async () => {
    const start = performance.now();
    let attempts = 0;
    const write = open().write(async (tx) => {
      attempts++;
      await tx.run(sql`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = 'serialization_failure'; END $$`);
    });
    await expect(write).rejects.toMatchObject({ code: "STORE_BUSY" });
    expect(attempts).toBeGreaterThan(4);
    expect(performance.now() - start).toBeGreaterThan(5_000);
  });
});

describe("a connection that ends", () => {
  it("before the commit is replaced, and the transaction runs again", async () => {
    const store = open();
    let attempts = 0;
    await store.write(async (tx) => {
      await addOne(tx);
      if (attempts++ === 0) await killCaller(tx);
    });
    expect([attempts, store.retries!()]).toEqual([2, 1]);
    expect(await store.read(nameOf)).toBe("1");
  });

  it("while it is unused is replaced", async () => {
    const store = open({ connections: 3 });
    await Promise.all([1, 2, 3].map(() => store.read((tx) => tx.all(sql`SELECT pg_sleep(0.05)`))));
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'formctl'`);
    expect(await store.read(nameOf)).toBe("0");
  });

  it.each([
    ["before it arrives", "0"],
    ["after it arrives", "1"],
  ] as const)("at a commit, %s, leaves the outcome unknown", async (moment, stored) => {
    let next: Cut = moment;
    const proxy = await startDatabaseProxy(server.port, {
      cut: (sent) => (sent.includes("COMMIT") ? next : undefined),
    });
    try {
      const store = open({}, url.replace(`:${server.port}/`, `:${proxy.port}/`));
      let attempts = 0;
      const write = store.write(async (tx) => {
        attempts++;
        await addOne(tx);
      });
      await expect(write).rejects.toMatchObject({
        code: "STORE_OUTCOME_UNKNOWN",
        message: expect.not.stringContaining("test-password") as string,
      });
      expect(attempts).toBe(1);
      next = undefined;
      expect(await store.read(nameOf)).toBe(stored);
    } finally {
      await proxy.close();
    }
  });

  it("on every attempt is reported", async () => {
    const write = open().write(killCaller);
    await expect(write).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  });
});

describe("limits", () => {
  it("end a statement that runs too long", async () => {
    const store = open({ statementTimeoutMs: 1_000 });
    await expect(store.read((tx) => tx.all(sql`SELECT pg_sleep(60)`))).rejects.toMatchObject({ code: "STORE_BUSY" });
    expect(await store.read(nameOf)).toBe("0");
  });

  /** Calls `work` while a write of the organization is open. */
  const duringWrite = async (store: Store, work: () => Promise<void>) => {
    const held = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const holding = store.write(async () => (held.resolve(), end.promise), "o1");
    await held.promise;
    try {
      await work();
    } finally {
      end.resolve();
      await holding;
    }
  };

  it("end a wait for the lock of another process", async () => {
    const [holder, waiter] = [open(), open()];
    await duringWrite(holder, async () => {
      await expect(waiter.write(addOne, "o1")).rejects.toMatchObject({ code: "STORE_BUSY" });
    });
    await waiter.write(addOne, "o1");
  });

  it("end a wait for a connection, and for other writes of the organization", async () => {
    const store = open({ connections: 1 });
    await duringWrite(store, async () => {
      const refused = await Promise.allSettled([store.read(nameOf), store.write(addOne, "o1")]);
      expect(refused).toMatchObject([{ reason: { code: "STORE_BUSY" } }, { reason: { code: "STORE_BUSY" } }]);
    });
    expect(await store.read(nameOf)).toBe("0");
  });
});
