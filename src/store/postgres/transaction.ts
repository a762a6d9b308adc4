/** One transaction on a connection to PostgreSQL. */

import sql, { raw, type Sql } from "sql-template-tag";
import { pageSize, StoreError, type Tx } from "../store.ts";
import type { AuditNumbers } from "./audit-numbers.ts";
import type { Connection, QueryResult } from "./connection.ts";
import {
  AnswerTimeout,
  isConflict,
  isConnectionLost,
  isDuplicate,
  isNotSent,
  isStatementLost,
  outcomeUnknown,
  toStoreError,
} from "./errors.ts";

/**
 * The methods throw errors of the database as StoreError or ConstraintViolation.
 *
 * Each statement is sent at once. So statements that do not need each other's results share a round trip.
 */
export class Transaction {
  readonly #connection: Connection;
  readonly #name: string;
  #isOpen = false;
  /** The first error of the database. After this error, the transaction can't be used. */
  #failure: { error: unknown; translated: unknown } | undefined;
  #isBroken = false;
  /** The number of cursors so far. The name of each cursor contains its number. */
  #cursors = 0;

  /** Whether the end of the transaction was sent, and whether a query came after it. */
  #hasEnded = false;
  #isLate = false;
  /** Whether the connection ended after the commit was sent. */
  #isOutcomeUnknown = false;

  readonly #isSerializable: boolean;

  /** @param name the URL of the store without its password, for messages */
  constructor(connection: Connection, name: string, { isSerializable = false } = {}) {
    this.#connection = connection;
    this.#name = name;
    this.#isSerializable = isSerializable;
  }

  /** Whether the connection can't be used for another transaction. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Whether concurrent transactions made the server roll back the transaction. With the isolation level serializable, a
   * conflict may be reported as a duplicate key: another transaction has then just inserted the row ("Serialization
   * Failure Handling" in the documentation of PostgreSQL).
   */
  get isConflicting(): boolean {
    const error = this.#failure?.error;
    return isConflict(error) || (this.#isSerializable && isDuplicate(error));
  }

  /**
   * Whether a lost connection or a lost prepared statement ended the transaction before its commit. A server that did not
   * answer in time would probably not answer the next attempt either.
   */
  get isInterrupted(): boolean {
    if (!this.#failure || this.#isOutcomeUnknown) return false;
    const { error } = this.#failure;
    return isStatementLost(error) || (isConnectionLost(error) && !(error instanceof AnswerTimeout));
  }

  /** Whether `work` asked for another query after {@link endEarly}. Then it has to run in another transaction. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /**
   * Begins the transaction.
   *
   * @param text the statement that begins it
   * @param settings the second statement, which is sent at the same time
   * @param reservation the third statement, if any
   * @returns the results of the second and the third statement
   */
  async begin(
    text: string,
    settings: Sql,
    reservation: Sql | undefined,
  ): Promise<[set: QueryResult, reserved: QueryResult | undefined]> {
    this.#failure = undefined;
    this.#hasEnded = this.#isLate = false;
    this.#isOpen = true;
    const send = (query: Sql) => this.#request(() => this.#connection.query(query.text, query.values));
    const [, set, reserved] = await Promise.all([
      this.#request(() => this.#connection.query(text)),
      send(settings),
      reservation && send(reservation),
    ]);
    return [set, reserved];
  }

  /**
   * Runs `work`, and sends the statement that returns the unused `numbers`. Afterwards, the queries of its `tx` throw: they
   * would run in a later transaction.
   */
  async run<T>(work: (tx: Tx) => Promise<T>, numbers?: AuditNumbers): Promise<T> {
    let hasReturned = false;
    const call = async (query: Sql): Promise<QueryResult> => {
      if (hasReturned) throw new Error("the transaction has ended");
      if (this.#hasEnded) {
        this.#isLate = true;
        throw new Error("the transaction was ended before this query");
      }
      return this.#request(() => this.#connection.query(query.text, query.values));
    };
    const tx: Tx = {
      cache: new Map(),
      all: async <Row>(query: Sql) => (await call(query)).rows as Row[],
      first: async <Row>(query: Sql) => (await call(query)).rows[0] as Row | undefined,
      run: async (query) => (await call(query)).rowCount ?? 0,
      write: async (query) => {
        // An error is kept in `#failure`. The next query or the commit throws it.
        call(query).catch(() => undefined);
        if (this.#failure) throw this.#failure.translated;
      },
      ...(numbers && { reservedAuditNumber: () => numbers.next() }),
      pages: <Row>(table: string, columns: readonly string[], condition?: Sql) =>
        this.#pages<Row>(tx, table, columns, condition),
    };
    try {
      const result = await work(tx);
      if (numbers?.release) await tx.write(numbers.release);
      // `work` may have caught the error of a query. After the error, the transaction can't be committed.
      if (this.#failure) throw this.#failure.translated;
      return result;
    } finally {
      hasReturned = true;
    }
  }

  /**
   * Sends the end of a read before `work` has the results of its queries. So a read whose queries don't need each other's
   * results is one round trip.
   */
  endEarly(): void {
    if (!this.#isOpen || this.#failure) return;
    this.#hasEnded = true;
    void this.rollback();
  }

  /** Reads a table in the order of its storage, through a cursor of this transaction. */
  async *#pages<Row>(tx: Tx, table: string, columns: readonly string[], condition = sql`true`): AsyncGenerator<Row[]> {
    const cursor = raw(`pages_${++this.#cursors}`);
    const [names, from] = [raw(columns.join(", ")), raw(table)];
    const size = pageSize(table);
    await tx.run(sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${names} FROM ${from} WHERE ${condition}`);
    for (;;) {
      const rows = await tx.all<Row>(sql`FETCH ${raw(String(size))} FROM ${cursor}`);
      if (rows.length > 0) yield rows;
      // The end of the transaction closes the cursor.
      if (rows.length < size) return;
    }
  }

  /**
   * Commits the transaction. Earlier statements may still be running: if one of them failed, the server rolls back.
   *
   * @throws StoreError STORE_OUTCOME_UNKNOWN if the connection ends before the server answers
   */
  async commit(): Promise<void> {
    this.#isOpen = false;
    try {
      await this.#connection.query("COMMIT");
    } catch (error) {
      if (!isConnectionLost(error) || isNotSent(error)) throw this.#fail(error);
      this.#isBroken = this.#isOutcomeUnknown = true;
      throw outcomeUnknown(this.#name, error);
    }
    if (this.#failure) throw this.#failure.translated;
  }

  /** Rolls back the transaction, if it is open. Never throws, so that the original error is reported. */
  async rollback(): Promise<void> {
    if (!this.#isOpen || this.#isBroken) return;
    this.#isOpen = false;
    try {
      await this.#connection.query("ROLLBACK");
    } catch {
      this.#isBroken = true;
    }
  }

  async #request<T>(send: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure.translated;
    try {
      return await send();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Returns the translated error of the statement that failed first. The server refuses all statements after it. */
  #fail(error: unknown): unknown {
    const isLost = isConnectionLost(error);
    if (isStatementLost(error)) this.#connection.stopPreparing();
    const translated = toStoreError(this.#name, error);
    // A connection to a read-only server is not used again: a new connection may lead to the primary server.
    this.#isBroken ||= isLost || (translated instanceof StoreError && translated.code === "STORE_READ_ONLY");
    this.#failure ??= { error, translated };
    return this.#failure.translated;
  }
}
