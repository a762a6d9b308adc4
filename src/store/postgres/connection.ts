/** Connections to PostgreSQL. This is the only module that opens them. */

import {
  Client,
  type ClientConfig,
  type CustomTypesConfig,
  DatabaseError,
  escapeIdentifier,
  escapeLiteral,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from "pg";
import { sha256 } from "../../base/sha256.ts";
import { AnswerTimeout, CONNECT_TIMEOUT_MS, ConnectionError, noFreeConnection, toConnectError } from "./errors.ts";
import type { PostgresSettings } from "./settings.ts";
import { DatabaseStream } from "./stream.ts";

export type { QueryResult };

/** How long an unused connection stays open, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;

/** The message of the error of pg for a statement without an answer. */
const PG_TIMEOUT = "Query read timeout";

/** The types BIGINT, SMALLINT and INTEGER. All numbers of the store are safe integers. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23]);

/** Values of all types except `NUMBERS` are returned as text. */
const types: CustomTypesConfig = { getTypeParser: (type) => (NUMBERS.has(type) ? Number : String) };

/** How long this process waits for the result of a statement, in milliseconds. */
export type AnswerTimeouts = {
  /** For the first statement after a connection is taken from the pool. It shows whether the server answers at all. */
  first: number;
  others: number;
};

export type PoolOptions = {
  /** The maximum number of connections of this process. */
  max: number;
  answerTimeoutsMs: AnswerTimeouts;
};

/**
 * A client that closes its connection if the login fails. After some errors, such as a missing password, pg leaves the
 * connection open. The process would then wait for a minute until the server closes the connection.
 */
class ClosingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // Without a listener, an error of an unused connection would end the process. The listener does nothing, because a
    // running query reports the error of its connection.
    this.on("error", () => {});
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    if (!callback) return super.connect();
    super.connect((error: Error | null) => {
      if (error) this.end(() => undefined);
      callback(error!);
    });
  }
}

const PREPARABLE = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/;

/** The maximum number of statements that a connection keeps prepared. Each filter of a list is another statement. */
const MAX_PREPARED = 200;

/** Gives statements the names by which connections keep them prepared. */
class StatementNames {
  readonly #names = new Map<string, string>();
  #isOff = false;

  /** Returns undefined for a statement that is not kept prepared. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#isOff || this.#names.size >= MAX_PREPARED) return known;
    // The text is part of the name: a pooler may give this process a connection on which another process has prepared
    // the statements of another version.
    const name = `formctl_${sha256(text).slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }

  stop(): void {
    this.#isOff = true;
    this.#names.clear();
  }
}

/** A connection in use. Its queries throw only the errors of the server (DatabaseError) and ConnectionError. */
export class Connection {
  readonly #client: PoolClient;
  readonly #timeoutsMs: AnswerTimeouts;
  #isFirst = true;
  readonly #names: StatementNames;
  /** The timeout of a statement. Later statements fail too: the server would carry them out after this statement. */
  #timeout: AnswerTimeout | undefined;

  constructor(client: PoolClient, timeoutsMs: AnswerTimeouts, names: StatementNames) {
    this.#client = client;
    this.#timeoutsMs = timeoutsMs;
    this.#names = names;
  }

  /**
   * Runs one statement. It is sent at once, behind the statements that have no result yet.
   *
   * @throws DatabaseError, ConnectionError
   */
  async query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>> {
    const result: QueryResult<Row> | QueryResult<Row>[] = await this.#send(text, values);
    if (Array.isArray(result)) throw new ConnectionError("the server sent several results for one statement");
    return result;
  }

  /** Runs several statements. @returns the result of each one @throws DatabaseError, ConnectionError */
  async queryAll(text: string): Promise<QueryResult[]> {
    const results: QueryResult | QueryResult[] = await this.#send(text);
    if (!Array.isArray(results)) throw new ConnectionError("the server sent one result for several statements");
    return results;
  }

  /** Returns the connection to its pool. @param isBroken whether to close it */
  release(isBroken: boolean): void {
    this.#client.release(isBroken || this.#timeout !== undefined);
  }

  /** Prepares no more statements: a pooler between this process and the server does not keep them. */
  stopPreparing(): void {
    this.#names.stop();
  }

  async #send<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>> {
    if (this.#timeout) throw this.#timeout;
    const timeoutMs = this.#isFirst ? this.#timeoutsMs.first : this.#timeoutsMs.others;
    this.#isFirst = false;
    const name = values && PREPARABLE.test(text) ? this.#names.nameOf(text) : undefined;
    try {
      const config: QueryConfig & { query_timeout: number } = {
        text,
        query_timeout: timeoutMs,
        ...(values && { values }),
        ...(name !== undefined && { name }),
      };
      return await this.#client.query<Row>(config);
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      if ((error as Error).message === PG_TIMEOUT)
        throw (this.#timeout = new AnswerTimeout(timeoutMs, { cause: error }));
      throw new ConnectionError((error as Error).message, { cause: error });
    }
  }
}

/** The connections of one process to a database. A lost connection is replaced when the process needs a connection. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #max: number;
  readonly #timeoutsMs: AnswerTimeouts;
  readonly #names = new StatementNames();

  constructor(settings: PostgresSettings, { max, answerTimeoutsMs }: PoolOptions) {
    const { name, host, port, user, database, password, tls } = settings;
    this.#name = name;
    this.#max = max;
    this.#timeoutsMs = answerTimeoutsMs;
    this.#pool = new Pool({
      Client: ClosingClient,
      host,
      port,
      user,
      database,
      // A function, because pg treats an empty text as a missing password. It would then read the password file itself,
      // and print a warning.
      password: () => password ?? "",
      // The stream encrypts the connection. Without `ssl: false`, pg would read PGSSLMODE.
      ssl: false,
      stream: () => new DatabaseStream(tls),
      types,
      max,
      application_name: "formctl",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      // Statements are sent without waiting for the results of earlier ones. So a transaction needs few round trips.
      pipeline: true,
      allowExitOnIdle: true,
    });
    // The pool reports the errors of its unused connections too.
    this.#pool.on("error", () => {});
  }

  /** Returns a connection, which the caller must release. @throws StoreError if no connection is available in time */
  async connect(): Promise<Connection> {
    const isFull = this.#pool.totalCount >= this.#max;
    try {
      return new Connection(await this.#pool.connect(), this.#timeoutsMs, this.#names);
    } catch (error) {
      if (isFull && (error as Error).message.startsWith("timeout exceeded")) throw noFreeConnection(this.#name);
      throw toConnectError(this.#name, error);
    }
  }

  /** Closes all connections as soon as their transactions have ended. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Returns a text as a literal of SQL. */
export function literal(text: string): string {
  return escapeLiteral(text);
}

/** Returns a name as an identifier of SQL. */
export function identifier(name: string): string {
  return escapeIdentifier(name);
}
