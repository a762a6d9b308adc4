/** Where records rest: the port of the engine. A query is written once and runs on every database. */

import type { Sql } from "sql-template-tag";
import { type ErrorCode, FormctlError } from "../error.ts";

/** One transaction. Queries come from the `sql` tag; flags are 0 or 1, times ISO 8601 text, objects JSON text. */
export interface Tx {
  all<Row>(query: Sql): Promise<Row[]>;
  first<Row>(query: Sql): Promise<Row | undefined>;
  /** How many rows were written. */
  run(query: Sql): Promise<number>;
  /**
   * What whoever reads may keep for later transactions, under the number that the database gave it: all of it is forgotten
   * where a write is undone or somebody else has written, so that the same number always means the same.
   */
  readonly kept: Map<string, unknown>;
}

export interface Store {
  /** A snapshot: what `work` reads belongs together. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** All that `work` writes, or nothing if it throws. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** What the database itself finds wrong with its files, schema and keys, a line each; not every one can tell. */
  verify?(): Promise<string[]>;
  close(): Promise<void>;
}

/** A key or check of the database refused a write. The engine asks first, so this is the second net. */
export class ConstraintViolation extends Error {
  override readonly name = "ConstraintViolation";
}

export type StoreErrorCode = Extract<ErrorCode, `STORE_${string}`>;

/** The store itself can't do its work. */
export class StoreError extends FormctlError {
  override readonly name = "StoreError";
  declare readonly code: StoreErrorCode;
  declare readonly hint: string;
  /** The one record that is damaged, where the store's other records can be used. */
  readonly record: string | undefined;

  constructor(code: StoreErrorCode, message: string, hint: string, options?: ErrorOptions & { record?: string }) {
    super(code, message, hint, options?.cause);
    this.record = options?.record;
  }
}
