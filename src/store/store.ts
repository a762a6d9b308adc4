/** The interface between the engine and the database. */

import type { Sql } from "sql-template-tag";
import { type ErrorCode, FormctlError } from "../base/error.ts";

/**
 * One transaction. Queries are built with the `sql` tag. In columns, flags are 0 or 1, times are ISO 8601 text, and
 * objects are JSON text.
 */
export interface Tx {
  all<Row>(query: Sql): Promise<Row[]>;
  first<Row>(query: Sql): Promise<Row | undefined>;
  /** Runs a statement that writes. @returns the number of written rows */
  run(query: Sql): Promise<number>;
  /**
   * Runs a statement that writes, for a caller that does not need the number of rows. PostgreSQL may still be carrying
   * out the statement when the promise resolves. Then its error is thrown by a later query, or at the commit.
   */
  write(query: Sql): Promise<void>;
  /**
   * Returns the next of the numbers that the transaction has reserved in the audit log of its organization. Undefined if
   * none is left, or if the transaction reserves none.
   */
  reservedAuditNumber?(): Promise<number | undefined>;
  /**
   * Reads the rows of a table in parts. The rows come in the order that the database reads fastest.
   *
   * @param condition selects the rows. Default: all rows
   */
  pages<Row>(table: string, columns: readonly string[], condition?: Sql): AsyncIterable<Row[]>;
  /**
   * A cache of computed data. Each entry includes the version number of the original data, such as `fields_version`. On
   * SQLite, later transactions share the cache. After a rollback or a write of another connection, the same number can
   * belong to other data, so the cache is cleared. On PostgreSQL, each transaction has its own cache.
   */
  readonly cache: Map<string, unknown>;
}

/** The number of rows that `pages` reads at once. Contents are long, so the number is smaller for contents. */
export function pageSize(table: string): number {
  return table === "layout_contents" ? 10 : 100;
}

/**
 * A transaction on the records of one organization. Each query names `orgId`, so it can't return records of another
 * organization. A database that is distributed by organization runs such a query on one machine.
 */
export interface OrgTx extends Tx {
  readonly orgId: string;
}

/** Adds the organization to a transaction, for the queries that name it. */
export function inOrganization(tx: Tx, orgId: string): OrgTx {
  return { ...tx, orgId };
}

export interface Store {
  /**
   * Runs `work` on a consistent snapshot.
   *
   * @param oneRound whether `work` probably begins all its queries before it needs the result of one. Then a database on
   *   another machine ends the transaction early, and runs `work` again if it has another query after all
   */
  read<T>(work: (tx: Tx) => Promise<T>, oneRound?: boolean): Promise<T>;
  /**
   * Commits all writes of `work`. If `work` throws, commits none. `work` may run several times, for example after a
   * conflict with another transaction.
   *
   * @param orgId the organization whose records `work` reads and writes. The writes of one organization run one after
   *   another, in all processes. If undefined, other writes may run at the same time. Then the keys alone must keep the
   *   records valid
   */
  write<T>(work: (tx: Tx) => Promise<T>, orgId?: string): Promise<T>;
  /** Returns the problems that the database finds in its files, schema and keys, one line each. */
  verify?(): Promise<string[]>;
  /**
   * Returns a number that changes with each commit of any process. Undefined if the number is unknown. Only a store for
   * a server has this method.
   */
  version?(): number | undefined;
  /**
   * Whether each write raises the version in `organization_state` of its organization, or the version of the whole
   * store. Then a reader knows whether records have changed, on whatever machine the write ran.
   */
  raisesVersions?(): boolean;
  /**
   * The number of repeated transactions. A transaction is repeated after a refusal of the database or a lost
   * connection.
   */
  retries?(): number;
  close(): Promise<void>;
}

/**
 * A key or CHECK constraint refused a write. In an operation of the API this is unexpected, because the engine checks
 * the rules first.
 */
export class ConstraintViolation extends Error {
  override readonly name = "ConstraintViolation";
}

export type StoreErrorCode = Extract<ErrorCode, `STORE_${string}`>;

/** The store is missing, locked, full, damaged or otherwise unusable. */
export class StoreError extends FormctlError {
  override readonly name = "StoreError";
  declare readonly code: StoreErrorCode;
  declare readonly hint: string;
  /** The damaged record, if the other records of the store can be used. */
  readonly record: string | undefined;

  constructor(code: StoreErrorCode, message: string, hint: string, options?: ErrorOptions & { record?: string }) {
    super(code, message, hint, options?.cause);
    this.record = options?.record;
  }
}

/** The error of an operation after `close`. */
export function storeClosed(): StoreError {
  return new StoreError("STORE_CLOSED", "the store has been closed", "Open the store again: openLocal(store)");
}
