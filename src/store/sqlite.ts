/** Connects the store to SQLite: one file, one writer at a time, many processes. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Sql } from "sql-template-tag";
import { SCHEMA_VERSION } from "./migrations/migrations.ts";
import { yieldToEventLoop } from "./event-loop.ts";
import { lazyStore } from "./lazy-store.ts";
import { connect, type Connection } from "./sqlite-connection.ts";
import { BUSY_TIMEOUT_MS, isBusy, readOnly, toStoreError, translate } from "./errors.ts";
import { pragma, schemaDifferences } from "./sqlite-schema.ts";
import { ConstraintViolation, StoreError, type Store, type Tx } from "./store.ts";
import { type Failure, type TransactionKind, TransactionQueue, type Job } from "./transaction-queue.ts";

/** A list with many filters has many texts: the oldest statements make room. */
const KEPT_STATEMENTS = 200;

/** SQLite itself waits in one go, and nothing else happens meanwhile: no signal is heard, no other request answered. */
const BUSY_STEP_MS = 2;

/** The pauses between two attempts to begin, the last one for all that follow; as SQLite's own. */
const PAUSES_MS = [0, 1, 2, 5, 10, 15, 20, 25] as const;

/**
 * Opens the store in `path`; `create` makes a new one where there is none (folders 0700, file 0600).
 *
 * @throws StoreError when there is no store, or the file is not one that this program can use.
 */
export function openSqlite(path: string, options: { create: boolean }): Store {
  return new SqliteStore(path, connectForSteps(path, options.create ? "create" : "open"));
}

function connectForSteps(path: string, mode: "open" | "create"): Connection {
  const connection = connect(path, mode);
  connection.db.exec(`PRAGMA busy_timeout = ${BUSY_STEP_MS}`);
  return connection;
}

/**
 * {@link openSqlite} for a server: reads have a connection of their own, so that none of them waits for a write, or for a
 * write that waits for another process. A read sees what was committed when it begins. A long transaction is interrupted
 * between its queries, so that the process answers others meanwhile.
 */
export function openSqliteForServing(path: string): Store {
  const open = () => new SqliteStore(path, connectForSteps(path, "open"), yieldToEventLoop);
  const writer = open();
  const reader = lazyStore(open);
  return {
    read: (work) => reader.read(work),
    write: (work) => writer.write(work),
    verify: async () => (await reader.verify?.()) ?? [],
    async close() {
      await reader.close();
      await writer.close();
    },
  };
}

class SqliteStore implements Store {
  readonly #path: string;
  #connection: Connection;
  readonly #statements = new Map<string, StatementSync>();
  readonly #controls = new Map<string, StatementSync>();
  #isClosed = false;
  readonly #kept = new Map<string, unknown>();
  /** Another number whenever another connection has written. */
  #dataVersion: number | undefined;
  /** What the connection was told last: whether it may write. */
  #kind: TransactionKind | undefined;
  readonly #turns = new TransactionQueue((kind, turn) => this.#transact(kind, turn));

  readonly #beforeQuery: (() => Promise<void>) | undefined;

  constructor(path: string, connection: Connection, beforeQuery?: () => Promise<void>) {
    this.#path = path;
    this.#connection = connection;
    this.#beforeQuery = beforeQuery;
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue("read", work);
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue("write", async (tx) => {
      if (this.#connection.readOnly) throw readOnly(this.#path);
      return work(tx);
    });
  }

  verify(): Promise<string[]> {
    return this.#enqueue("read", async () => translate(this.#path, () => findDamage(this.#db)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turns.end();
    this.#disconnect();
  }

  get #db(): DatabaseSync {
    return this.#connection.db;
  }

  #enqueue<T>(kind: TransactionKind, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("the store has been closed"));
    return this.#turns.take(kind, work);
  }

  /**
   * One transaction for all of `turn`, and with it one flush to the disk before any of them is told. Each write has a
   * savepoint of its own: one that fails takes nothing of the others with it.
   */
  async #transact(kind: TransactionKind, turn: readonly Job[]): Promise<void> {
    try {
      // After a failed disk the connection was given up: a new one sees what is stored.
      if (!this.#db.isOpen) this.#connection = connectForSteps(this.#path, "open");
      await this.#start(kind);
      const isShared = turn.length > 1;
      for (const work of turn) {
        const failure = await (kind === "write" && isShared ? this.#runApart(work) : this.#run(work));
        if (failure && !isShared) this.#rollback();
      }
      if (this.#db.isTransaction) this.#commit();
    } catch (error) {
      this.#rollback();
      for (const { reject } of turn) reject(error);
      return;
    }
    for (const { tell } of turn) tell();
  }

  async #run(work: Job): Promise<Failure | undefined> {
    const { tx, end } = this.#begin();
    const failure = await work.run(tx);
    end();
    return failure;
  }

  /** @throws what ended the transaction of all, as a full disk does */
  async #runApart(work: Job): Promise<Failure | undefined> {
    this.#control("SAVEPOINT own");
    const failure = await this.#run(work);
    if (failure && !this.#db.isTransaction) throw failure.error;
    if (failure) {
      this.#kept.clear();
      this.#control("ROLLBACK TO own");
    }
    this.#control("RELEASE own");
    return failure;
  }

  /** Waits for another process's transaction, in steps between which everything else has its turn. */
  async #start(kind: TransactionKind): Promise<void> {
    let deadline: number | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return this.#beginAs(kind);
      } catch (error) {
        this.#rollback();
        deadline ??= performance.now() + BUSY_TIMEOUT_MS;
        if (!isBusy(error) || performance.now() > deadline) throw toStoreError(this.#path, error);
        const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #beginAs(kind: TransactionKind): void {
    if (this.#kind !== kind) this.#db.exec(`PRAGMA query_only = ${kind === "read" ? "ON" : "OFF"}`);
    this.#kind = kind;
    // The write lock is taken at once: a read that later turned into a write would fail, whatever the timeout.
    this.#control(kind === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    // A snapshot is taken when it is first read: at once, so that whoever has to wait for it waits there.
    const { data_version } = this.#prepare("PRAGMA data_version").get() as { data_version: number };
    if (data_version === this.#dataVersion) return;
    this.#kept.clear();
    if (pragma(this.#db, "user_version") !== SCHEMA_VERSION) return this.#beginAnew(kind);
    this.#dataVersion = data_version;
  }

  /**
   * A newer formctl has brought the store to its schema, which is refused, or a backup of an earlier one has taken its place,
   * which is brought to ours: both happen where a store is opened.
   */
  #beginAnew(kind: TransactionKind): void {
    this.#disconnect();
    this.#connection = connectForSteps(this.#path, "open");
    this.#beginAs(kind);
  }

  /** What begins and ends transactions stays prepared, however many other statements come and go. */
  #control(text: string): void {
    let statement = this.#controls.get(text);
    if (!statement) this.#controls.set(text, (statement = this.#db.prepare(text)));
    statement.run();
  }

  /** The transaction's queries. After its end they are refused: they would land in somebody else's transaction. */
  #begin(): { tx: Tx; end: () => void } {
    let hasEnded = false;
    const call = async <T>(query: Sql, run: (statement: StatementSync, values: SqliteValue[]) => T): Promise<T> => {
      if (this.#beforeQuery) await this.#beforeQuery();
      if (hasEnded) throw new Error("the transaction has ended");
      return translate(this.#path, () => run(this.#prepare(query.sql), query.values as SqliteValue[]));
    };
    const tx: Tx = {
      kept: this.#kept,
      all: <Row>(query: Sql) => call(query, (statement, values) => allRows(statement, values) as Row[]),
      first: <Row>(query: Sql) => call(query, (statement, values) => statement.get(...values) as Row | undefined),
      run: (query) => call(query, (statement, values) => Number(statement.run(...values).changes)),
    };
    return { tx, end: () => (hasEnded = true) };
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= KEPT_STATEMENTS) this.#statements.delete(oldest);
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #commit(): void {
    try {
      this.#control("COMMIT");
    } catch (error) {
      const known = toStoreError(this.#path, error);
      this.#rollback();
      if (known instanceof ConstraintViolation || (known instanceof StoreError && known.code !== "STORE_UNUSABLE"))
        throw known;
      // The disk failed while it wrote: the change may be there or not, and only a new connection can tell.
      this.#disconnect();
      throw new StoreError(
        "STORE_OUTCOME_UNKNOWN",
        `the disk failed while ${this.#path} was written: ${(error as Error).message}`,
        "Look at what is stored before you try again: formctl local check",
        { cause: error },
      );
    }
  }

  /** Never throws: the error that led here is the one to tell. */
  #rollback(): void {
    this.#kept.clear();
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {
      this.#disconnect();
    }
  }

  #disconnect(): void {
    this.#statements.clear();
    this.#controls.clear();
    this.#kept.clear();
    this.#kind = undefined;
    this.#dataVersion = undefined;
    if (this.#db.isOpen) this.#db.close();
  }
}

type SqliteValue = string | number | null;

/** `statement.all()`, with plain objects: those of node:sqlite have no shared shape, so that reading and copying them is slow. */
function allRows(statement: StatementSync, values: SqliteValue[]): object[] {
  statement.setReturnArrays(true);
  const rows = statement.all(...values) as unknown as SqliteValue[][];
  statement.setReturnArrays(false);
  if (rows.length === 0) return [];
  const names = statement.columns().map(({ name }) => name);
  return rows.map((row) => {
    const plain: Record<string, SqliteValue> = {};
    for (let index = 0; index < names.length; index++) plain[names[index]!] = row[index]!;
    return plain;
  });
}

/** What SQLite itself finds: pages, indexes and keys that do not fit (I15), and a schema that is not ours. */
function findDamage(db: DatabaseSync): string[] {
  const pages = db.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
  const keys = db.prepare("PRAGMA foreign_key_check").all() as { table: string; rowid: number; parent: string }[];
  return [
    ...pages.map((row) => row.integrity_check).filter((line) => line !== "ok"),
    ...keys.map(({ table, rowid, parent }) => `row ${rowid} of ${table} points at nothing in ${parent}`),
    ...schemaDifferences(db),
  ];
}
