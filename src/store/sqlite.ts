/** Implements the store on SQLite: one file, used by many processes, with one writer at a time. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import sql, { raw, type Sql } from "sql-template-tag";
import { SCHEMA_VERSION } from "./migrations.ts";
import { watchCommits } from "./commit-watch.ts";
import { yieldIfDue } from "./event-loop.ts";
import { lazyStore } from "./lazy-store.ts";
import { connect, type Connection } from "./sqlite-connection.ts";
import { BUSY_TIMEOUT_MS, isBusy, readOnly, toStoreError, translate } from "./errors.ts";
import { copyDatabase, emptyDatabase } from "./scratch.ts";
import { pragma, schemaDifferences } from "./sqlite-schema.ts";
import { ConstraintViolation, pageSize, StoreError, storeClosed, type Store, type Tx } from "./store.ts";
import { type Failure, type TransactionKind, TransactionQueue, type Job } from "./transaction-queue.ts";

/**
 * The maximum number of cached statements. Each filter of a list gives another SQL text, so the oldest statements are
 * dropped.
 */
const MAX_STATEMENTS = 200;

/**
 * How long SQLite may wait for a lock, in milliseconds. SQLite blocks the event loop meanwhile, so the time is short.
 */
const BUSY_STEP_MS = 2;

/** The pauses between attempts to begin a transaction, in milliseconds. The last pause repeats. */
const PAUSES_MS = [0, 1, 2, 5, 10, 15, 20, 25] as const;

/**
 * Opens the store in `path`. With `create`, creates a missing store (folders 0700, file 0600).
 *
 * @throws StoreError when the store is missing, or the file is not a usable store.
 */
export function openSqlite(path: string, options: { create: boolean }): Store {
  return new SqliteStore(path, connectForSteps(path, options.create ? "create" : "open"));
}

/**
 * Opens a private copy of the store in `path`: see `LocalService.copy`. The copy is deleted when it is closed.
 *
 * @throws StoreError when the store is missing or can't be read
 * @throws StoreError when the disk of temporary files is full
 */
export async function openSqliteCopy(path: string, growth = 0): Promise<Store> {
  return new SqliteStore(`the copy of ${path}`, { db: await copyDatabase(path, growth), readOnly: false });
}

/** Opens an empty store that is not durable. @param growth see `copyDatabase` */
export async function openScratchSqlite(growth = 0): Promise<Store> {
  return new SqliteStore("the copy", { db: await emptyDatabase(growth), readOnly: false });
}

function connectForSteps(path: string, mode: "open" | "create"): Connection {
  const connection = connect(path, mode);
  connection.db.exec(`PRAGMA busy_timeout = ${BUSY_STEP_MS}`);
  return connection;
}

/**
 * Opens an existing store for a server. Reads have their own connection, so that they do not wait for writes. A read
 * includes all commits before its start. A long transaction yields to the event loop between its queries.
 */
export function openSqliteForServing(path: string): Store {
  const watch = watchCommits(path);
  const open = () => {
    const store = new SqliteStore(path, connectForSteps(path, "open"), {
      beforeQuery: yieldIfDue,
      afterReconnect: watch.reopen,
    });
    watch.reopen();
    return store;
  };
  const writer = open();
  const reader = lazyStore(open);
  return {
    read: (work) => reader.read(work),
    write: (work) => writer.write(work),
    verify: async () => (await reader.verify?.()) ?? [],
    version: watch.version,
    async close() {
      watch.close();
      await reader.close();
      await writer.close();
    },
  };
}

type Hooks = {
  beforeQuery?: () => Promise<void> | undefined;
  /**
   * Called after the store was connected again. If the store was replaced, the new connection has opened another file.
   */
  afterReconnect?: () => void;
};

class SqliteStore implements Store {
  readonly #path: string;
  #connection: Connection;
  readonly #statements = new Map<string, StatementSync>();
  readonly #controls = new Map<string, StatementSync>();
  #isClosed = false;
  readonly #cache = new Map<string, unknown>();
  /** The value of `PRAGMA data_version`, which changes when another connection writes. */
  #dataVersion: number | undefined;
  /** The kind of the last transaction. `PRAGMA query_only` is set again only when the kind changes. */
  #kind: TransactionKind | undefined;
  readonly #queue = new TransactionQueue((kind, jobs) => this.#transact(kind, jobs));

  readonly #hooks: Hooks;

  constructor(path: string, connection: Connection, hooks: Hooks = {}) {
    this.#path = path;
    this.#connection = connection;
    this.#hooks = hooks;
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
    await this.#queue.drain();
    this.#disconnect();
  }

  get #db(): DatabaseSync {
    return this.#connection.db;
  }

  #enqueue<T>(kind: TransactionKind, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    return this.#queue.add(kind, work);
  }

  /**
   * Runs all jobs in one transaction with one flush to the disk. Reports their results after the commit. A failed job
   * does not roll back the writes of other jobs.
   */
  async #transact(kind: TransactionKind, jobs: readonly Job[]): Promise<void> {
    try {
      // A disk error may have closed the connection. A new connection reads the current state.
      if (!this.#db.isOpen) this.#reconnect();
      await this.#beginWhenFree(kind);
      if (!(await this.#runAll(kind, jobs))) {
        this.#rollback();
        if (jobs.length > 1) {
          await this.#beginWhenFree(kind);
          for (const job of jobs) await this.#runInSavepoint(job);
        }
      }
      if (this.#db.isTransaction) this.#commit();
    } catch (error) {
      this.#rollback();
      for (const { reject } of jobs) reject(error);
      return;
    }
    for (const { settle } of jobs) settle();
  }

  /**
   * Runs jobs without savepoints. SQLite copies each page that a savepoint protects. This takes a third of the time of
   * a write. Few jobs fail after their first write, because the engine checks the rules first.
   *
   * @returns whether the transaction can be committed. If false, it contains writes of a failed job
   * @throws the error of a job that ended the whole transaction, for example a full disk
   */
  async #runAll(kind: TransactionKind, jobs: readonly Job[]): Promise<boolean> {
    for (const job of jobs) {
      const { failure, hasWritten } = await this.#run(job);
      if (!failure) continue;
      if (!this.#db.isTransaction) throw failure.error;
      if (kind === "write") this.#cache.clear();
      if (hasWritten) return false;
    }
    return true;
  }

  async #run(job: Job): Promise<{ failure: Failure | undefined; hasWritten: boolean }> {
    const { tx, end } = this.#openTx();
    const failure = await job.run(tx);
    return { failure, hasWritten: end() };
  }

  /**
   * A failure of the job rolls back only the writes of this job.
   *
   * @throws the error of a job that ended the whole transaction, for example a full disk
   */
  async #runInSavepoint(job: Job): Promise<void> {
    this.#control("SAVEPOINT own");
    const { failure } = await this.#run(job);
    if (failure && !this.#db.isTransaction) throw failure.error;
    if (failure) {
      this.#cache.clear();
      this.#control("ROLLBACK TO own");
    }
    this.#control("RELEASE own");
  }

  /** Waits for the transaction of another process without blocking the event loop. */
  async #beginWhenFree(kind: TransactionKind): Promise<void> {
    let deadline: number | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        return this.#begin(kind);
      } catch (error) {
        this.#rollback();
        deadline ??= performance.now() + BUSY_TIMEOUT_MS;
        if (!isBusy(error) || performance.now() > deadline) throw toStoreError(this.#path, error);
        const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #begin(kind: TransactionKind): void {
    if (this.#kind !== kind) this.#db.exec(`PRAGMA query_only = ${kind === "read" ? "ON" : "OFF"}`);
    this.#kind = kind;
    // IMMEDIATE takes the write lock at once. Without IMMEDIATE, a write after the first read could fail without
    // waiting for the lock.
    this.#control(kind === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    // SQLite takes the snapshot, and waits for a lock, at the first read of a transaction. The first read is this one,
    // not a query of the caller.
    const [version] = this.#prepare("PRAGMA data_version").get() as unknown as [number];
    if (version === this.#dataVersion) return;
    this.#cache.clear();
    if (pragma(this.#db, "user_version") !== SCHEMA_VERSION) return this.#reopen(kind);
    this.#dataVersion = version;
  }

  /**
   * Opens the store again after a change of its schema. A schema of a newer formctl is refused. An older schema is
   * migrated: it comes from a restored backup.
   */
  #reopen(kind: TransactionKind): void {
    this.#disconnect();
    this.#reconnect();
    this.#begin(kind);
  }

  #reconnect(): void {
    this.#connection = connectForSteps(this.#path, "open");
    this.#hooks.afterReconnect?.();
  }

  /** Runs a statement that begins or ends a transaction. These statements are cached separately and never dropped. */
  #control(text: string): void {
    let statement = this.#controls.get(text);
    if (!statement) this.#controls.set(text, (statement = this.#db.prepare(text)));
    statement.run();
  }

  /**
   * Creates the queries of a job. After a call of `end`, the queries throw: they would run outside their transaction.
   * `end` returns whether the job may have written.
   */
  #openTx(): { tx: Tx; end: () => boolean } {
    let hasEnded = false;
    let hasWritten = false;
    const call = async <T>(query: Sql, run: (statement: StatementSync, values: SqliteValue[]) => T): Promise<T> => {
      const pause = this.#hooks.beforeQuery?.();
      if (pause) await pause;
      if (hasEnded) throw new Error("the transaction has ended");
      return translate(this.#path, () => run(this.#prepare(query.sql), query.values as SqliteValue[]));
    };
    const tx: Tx = {
      cache: this.#cache,
      all: <Row>(query: Sql) => call(query, (statement, values) => allRows(statement, values) as Row[]),
      first: <Row>(query: Sql) => call(query, (statement, values) => firstRow(statement, values) as Row | undefined),
      run: (query) =>
        call(query, (statement, values) => {
          hasWritten = true;
          return Number(statement.run(...values).changes);
        }),
      write: async (query) => void (await tx.run(query)),
      pages: (table, columns, condition) => pagesByRowid(tx, table, columns, condition),
    };
    const end = () => {
      hasEnded = true;
      return hasWritten;
    };
    return { tx, end };
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= MAX_STATEMENTS) this.#statements.delete(oldest);
    const statement = this.#db.prepare(text);
    statement.setReturnArrays(true);
    this.#statements.set(text, statement);
    return statement;
  }

  #commit(): void {
    try {
      this.#control("COMMIT");
    } catch (error) {
      const storeError = toStoreError(this.#path, error);
      this.#rollback();
      if (
        storeError instanceof ConstraintViolation ||
        (storeError instanceof StoreError && storeError.code !== "STORE_UNUSABLE")
      )
        throw storeError;
      // The disk failed during the commit. Only a new connection can show whether the change is stored.
      this.#disconnect();
      throw new StoreError(
        "STORE_OUTCOME_UNKNOWN",
        `the disk failed while ${this.#path} was written: ${(error as Error).message}`,
        "Check the store before you try again: formctl local check",
        { cause: error },
      );
    }
  }

  /** Never throws, so that the original error is reported. */
  #rollback(): void {
    this.#cache.clear();
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {
      this.#disconnect();
    }
  }

  #disconnect(): void {
    this.#statements.clear();
    this.#controls.clear();
    this.#cache.clear();
    this.#kind = undefined;
    this.#dataVersion = undefined;
    if (this.#db.isOpen) this.#db.close();
  }
}

/**
 * Reads the rows in the order of their storage. In the order of an index, SQLite would read a page for nearly every
 * row.
 */
async function* pagesByRowid<Row>(
  tx: Tx,
  table: string,
  columns: readonly string[],
  condition = sql`true`,
): AsyncGenerator<Row[]> {
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const rows = await tx.all<Row & { rowid: number }>(sql`
      SELECT rowid, ${raw(columns.join(", "))} FROM ${raw(table)} WHERE rowid > ${after} AND ${condition}
      ORDER BY rowid LIMIT ${pageSize(table)}`);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    // In a damaged table, the rows can be out of order. This check prevents an endless loop.
    if (!last || !(last.rowid > after)) return;
    after = last.rowid;
  }
}

type SqliteValue = string | number | null;

/**
 * Returns the rows as plain objects, from a statement that returns arrays. The objects of node:sqlite have no shared
 * shape, so creating, reading and copying them is slow.
 */
function allRows(statement: StatementSync, values: SqliteValue[]): object[] {
  const rows = statement.all(...values) as unknown as SqliteValue[][];
  return rows.map((row) => toObject(statement, row));
}

function firstRow(statement: StatementSync, values: SqliteValue[]): object | undefined {
  const row = statement.get(...values) as unknown as SqliteValue[] | undefined;
  return row && toObject(statement, row);
}

function toObject(statement: StatementSync, row: SqliteValue[]): object {
  const names = columnsOf(statement);
  const object: Record<string, SqliteValue> = {};
  for (let index = 0; index < names.length; index++) object[names[index]!] = row[index]!;
  return object;
}

/** Caches the column names of statements, because a request to SQLite takes longer. */
const columnNames = new WeakMap<StatementSync, string[]>();

function columnsOf(statement: StatementSync): string[] {
  let names = columnNames.get(statement);
  if (!names) columnNames.set(statement, (names = statement.columns().map(({ name }) => name)));
  return names;
}

/** Returns the damage (I15 in invariants.ts): damaged pages, indexes and keys, and differences of the schema. */
function findDamage(db: DatabaseSync): string[] {
  const pages = db.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
  const keys = db.prepare("PRAGMA foreign_key_check").all() as { table: string; rowid: number; parent: string }[];
  return [
    ...pages.map((row) => row.integrity_check).filter((line) => line !== "ok"),
    ...keys.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`),
    ...schemaDifferences(db),
  ];
}
