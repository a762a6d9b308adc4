/** Connections to PostgreSQL. This is the only module that opens them. */

import {
  Client,
  type CustomTypesConfig,
  escapeIdentifier,
  escapeLiteral,
  Pool,
  type PoolClient,
  type QueryResult,
} from "pg";
import { CONNECT_TIMEOUT_MS, noFreeConnection, toConnectError } from "./errors.ts";
import type { PostgresSettings } from "./settings.ts";

export type Connection = PoolClient;

export type { QueryResult };

/** How long an unused connection stays open, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;

/** The types BIGINT, SMALLINT and INTEGER. All numbers of the store are safe integers. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23]);

/** Values of all types except `NUMBERS` are returned as text. */
const types: CustomTypesConfig = { getTypeParser: (type) => (NUMBERS.has(type) ? Number : String) };

export type PoolOptions = {
  /** The maximum number of connections of this process. */
  max: number;
  /** How long this process waits for the result of a statement, in milliseconds. */
  answerTimeoutMs: number;
};

/**
 * A client that closes its connection if the login fails. After some errors, such as a missing password, pg leaves the
 * connection open. The process would then wait for a minute until the server closes the connection.
 */
class ClosingClient extends Client {
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

/** The connections of one process to a database. A lost connection is replaced when the process needs a connection. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #max: number;

  constructor(settings: PostgresSettings, { max, answerTimeoutMs }: PoolOptions) {
    const { name, host, port, user, database, password, tls } = settings;
    this.#name = name;
    this.#max = max;
    this.#pool = new Pool({
      Client: ClosingClient,
      host,
      port,
      user,
      database,
      // A function, because pg treats an empty text as a missing password. It would then read the password file itself,
      // and print a warning.
      password: () => password ?? "",
      ssl: tls,
      types,
      max,
      application_name: "formctl",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      query_timeout: answerTimeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // Without these listeners, an error of an unused connection would end the process. The listeners do nothing,
    // because a running query reports the error of its connection.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  /** Returns a connection, which the caller must release. @throws StoreError if no connection is available in time */
  async connect(): Promise<Connection> {
    const isFull = this.#pool.totalCount >= this.#max;
    try {
      return await this.#pool.connect();
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
