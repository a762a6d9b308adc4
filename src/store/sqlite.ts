/** Connects the store to SQLite: one file, one writer at a time, many processes. */

import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql } from "sql-template-tag";
import type { Dialect } from "./migrations/dialect.ts";
import { migrations, SCHEMA_VERSION } from "./migrations/migrations.ts";
import { ConstraintViolation, StoreError, type Store, type Tx } from "./store.ts";

/** "fctl" in ASCII: how SQLite's own tools and ours tell this file from another program's. */
const APPLICATION_ID = 0x66_63_74_6c;

/** How long a transaction waits for another process's. */
const BUSY_TIMEOUT_MS = 5000;

const dialect: Dialect = {
  tableOptions: "STRICT",
  text: "TEXT",
  sequence: "INTEGER PRIMARY KEY AUTOINCREMENT",
  immutableVersions: [
    `CREATE TRIGGER published_versions_stay BEFORE UPDATE ON layout_versions
     WHEN OLD.status <> 'DRAFT' AND (
       NEW.status = 'DRAFT' OR NEW.id <> OLD.id OR NEW.layout_id <> OLD.layout_id OR NEW.number <> OLD.number
       OR NEW.content <> OLD.content OR NEW.content_sha256 <> OLD.content_sha256
       OR NEW.supported_modes <> OLD.supported_modes OR NEW.published_at <> OLD.published_at)
     BEGIN SELECT RAISE(ABORT, 'a published version never changes'); END`,
    // When the layout itself is deleted its row is gone before the cascade reaches the versions.
    `CREATE TRIGGER published_versions_remain BEFORE DELETE ON layout_versions
     WHEN OLD.status <> 'DRAFT' AND EXISTS (SELECT 1 FROM layouts WHERE id = OLD.layout_id)
     BEGIN SELECT RAISE(ABORT, 'a published version is deleted only with its layout'); END`,
  ],
};

/**
 * Opens the store in `path`; `create` makes a new one where there is none (folders 0700, file 0600).
 *
 * @throws StoreError when there is no store, or the file is not one that this program can use.
 */
export function openSqlite(path: string, options: { create: boolean }): Store {
  refuseUnsafeSqlite(process.versions.sqlite ?? "0");
  prepareFile(path, options.create);
  const db = translate(path, () => {
    const opened = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    try {
      prepareDatabase(opened, path, options.create);
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  });
  return new SqliteStore(db, path);
}

/** SQLite before 3.51.3 can corrupt a WAL file that two processes use (sqlite.org/wal.html, "WAL-reset bug"). */
export function refuseUnsafeSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > 3 || (major === 3 && (minor > 51 || (minor === 51 && patch >= 3)))) return;
  throw new StoreError(
    "STORE_UNUSABLE",
    `this Node brings SQLite ${version}, which can corrupt a store that two processes use`,
    "Use Node 24.15 or newer, which brings SQLite 3.51.3 or newer.",
  );
}

/** Everything about the file is settled before SQLite opens it: reading a live database with `fs` would drop its locks. */
function prepareFile(path: string, create: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    throw new StoreError(
      "STORE_UNUSABLE",
      `${path} is a symbolic link`,
      "Name the file that it points to with --store.",
    );
  }
  if (found && !found.isFile()) {
    throw new StoreError("STORE_UNUSABLE", `${path} is not a file`, "Name a file with --store.");
  }
  if (found) return;
  if (!create) {
    throw new StoreError(
      "STORE_MISSING",
      `there is no local store at ${path}`,
      "Create one: formctl local init --demo (with example data), or formctl local init",
    );
  }
  const folder = dirname(path);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
  }
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was faster: then its file is the store.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new StoreError(
        "STORE_UNUSABLE",
        `can't create ${path}: ${(error as Error).message}`,
        "Choose another place with --store.",
        { cause: error },
      );
    }
  }
}

function prepareDatabase(db: DatabaseSync, path: string, create: boolean): void {
  const applicationId = pragma(db, "application_id");
  if (applicationId !== APPLICATION_ID) {
    const isEmpty = applicationId === 0 && pragma(db, "schema_version") === 0;
    if (!isEmpty || !create) {
      throw new StoreError(
        "STORE_FOREIGN",
        `${path} is not a formctl store`,
        isEmpty ? "It is empty: formctl local init makes a store of it." : "Name another file with --store.",
      );
    }
    // The page size can only be set before the first page is written. 8 KiB suits drafts, which are long texts.
    db.exec("PRAGMA page_size = 8192");
  }
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
  const version = pragma(db, "user_version");
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      "STORE_NEWER",
      `${path} was written by a newer formctl (schema ${version}; this one knows ${SCHEMA_VERSION})`,
      "Upgrade formctl, or name another store with --store.",
    );
  }
  if (version < SCHEMA_VERSION) migrate(db);
}

/** Runs the steps that are missing, all in one transaction; a process that comes second finds nothing left to do. */
function migrate(db: DatabaseSync): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const step of migrations.slice(pragma(db, "user_version"))) {
      for (const statement of step(dialect)) db.exec(statement);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #tx: Tx;
  /** One connection has one transaction: the next begins when the last has ended. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
    this.#tx = {
      all: async <Row>(query: Sql) => this.#call(query, (statement, values) => statement.all(...values) as Row[]),
      first: async <Row>(query: Sql) =>
        this.#call(query, (statement, values) => statement.get(...values) as Row | undefined),
      run: async (query) => this.#call(query, (statement, values) => Number(statement.run(...values).changes)),
    };
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue("BEGIN", work);
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    // The write lock is taken at once: a read that later turned into a write would fail, whatever the timeout.
    return this.#enqueue("BEGIN IMMEDIATE", work);
  }

  async close(): Promise<void> {
    await this.#last;
    if (this.#db.isOpen) this.#db.close();
  }

  #enqueue<T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#transact(begin, work));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #transact<T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    translate(this.#path, () => this.#db.exec(begin));
    let result: T;
    try {
      result = await work(this.#tx);
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
    this.#commit();
    return result;
  }

  #commit(): void {
    try {
      this.#db.exec("COMMIT");
    } catch (error) {
      const known = toStoreError(this.#path, error);
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      if (known instanceof ConstraintViolation || (known instanceof StoreError && known.code !== "STORE_UNUSABLE"))
        throw known;
      // The disk failed while it wrote: the change may be there or not, and only a new connection can tell.
      this.#db.close();
      throw new StoreError(
        "STORE_OUTCOME_UNKNOWN",
        `the disk failed while ${this.#path} was written: ${(error as Error).message}`,
        "Look at what is stored before you try again: formctl local check",
        { cause: error },
      );
    }
  }

  #call<T>(query: Sql, call: (statement: StatementSync, values: SqliteValue[]) => T): T {
    return translate(this.#path, () => {
      const text = query.sql;
      let statement = this.#statements.get(text);
      if (!statement) {
        statement = this.#db.prepare(text);
        this.#statements.set(text, statement);
      }
      return call(statement, query.values as SqliteValue[]);
    });
  }
}

type SqliteValue = string | number | null;

function translate<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toStoreError(path, error);
  }
}

/** SQLite's result codes (sqlite.org/rescode.html) in the words of the port. The low byte is the primary code. */
function toStoreError(path: string, error: unknown): unknown {
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) return error;
  const message = (error as Error).message;
  const cause = { cause: error };
  switch (code & 0xff) {
    case 5:
    case 6:
      return new StoreError(
        "STORE_BUSY",
        `another process has kept ${path} locked for ${BUSY_TIMEOUT_MS / 1000} seconds`,
        "Try again when it has finished.",
        cause,
      );
    case 8:
      return new StoreError(
        "STORE_READ_ONLY",
        `${path} can only be read: ${message}`,
        "Check who owns the file and its folder, and their permissions.",
        cause,
      );
    case 11:
    case 26:
      return new StoreError(
        "STORE_CORRUPT",
        `${path} is damaged or not a database: ${message}`,
        "Restore a backup: formctl local restore FILE. The damaged file is left as it is.",
        cause,
      );
    case 13:
      return new StoreError(
        "STORE_FULL",
        `there is no room left to write ${path}`,
        "Free some space and try again: nothing was changed.",
        cause,
      );
    case 19:
      return new ConstraintViolation(message, cause);
    case 10:
    case 14:
      return new StoreError(
        "STORE_UNUSABLE",
        `can't use ${path}: ${message}`,
        "Check that the file and its folder can be read and written.",
        cause,
      );
    default:
      return error;
  }
}
