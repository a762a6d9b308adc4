/**
 * Implements the store on PostgreSQL, for any number of processes.
 *
 * The writes of an organization run one after another: each write begins with an update of the organization's row in
 * `organization_state`.
 *
 * Nothing is kept in a session, so that connections can come from a transaction pooler:
 *
 * - Settings apply to one transaction.
 * - A statement that a pooler has not kept prepared is sent without preparation.
 * - Each lock ends with its transaction.
 */

import { setTimeout } from "node:timers/promises";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { resultOf, settled } from "../../base/settled.ts";
import { SCHEMA_VERSION } from "../migrations.ts";
import { ConstraintViolation, StoreError, storeClosed, type Store, type Tx } from "../store.ts";
import type { Job } from "../transaction-queue.ts";
import { DATA_VERSION_KEY, META, VERSION_KEY } from "../tables.ts";
import { type Connection, ConnectionPool, identifier } from "./connection.ts";
import { CONNECT_TIMEOUT_MS, busyOrganization, ConnectionError, isMissingTable, toStoreError } from "./errors.ts";
import { createStore, requireStore } from "./migrate.ts";
import { schemaDifferences } from "./schema-differences.ts";
import type { Environment } from "./password-file.ts";
import { type PostgresSettings, readSettings } from "./settings.ts";
import { Transaction } from "./transaction.ts";
import { AuditNumbers } from "./audit-numbers.ts";
import { OrganizationWrites } from "./organization-writes.ts";

export type PostgresOptions = {
  /** The environment variables, for a user and a password that the URL lacks. Default: the variables of this process */
  env?: Environment;
  /** The maximum number of connections of this process. Default: 1 */
  connections?: number;
  /** How long a statement may run, in milliseconds. Default: 10 minutes */
  statementTimeoutMs?: number;
  /** How long the database may take to begin a transaction, in milliseconds. Default: 15 seconds */
  beginTimeoutMs?: number;
  /**
   * How long a transaction may wait for its process, in milliseconds. Then the database ends the transaction. Default:
   * 15 seconds
   */
  idleTimeoutMs?: number;
  /**
   * The isolation level of writes. Default: `read committed`. Only tests use `serializable`: then reads have this level
   * too.
   */
  isolation?: "read committed" | "serializable";
};

/**
 * The limits of `formctl serve`: no request waits for long. `idleTimeoutMs` is less than {@link LOCK_TIMEOUT_MS}. So
 * the database ends the transaction of a hanging process before other writes give up.
 */
export const SERVING: PostgresOptions = { connections: 10, statementTimeoutMs: 10_000, idleTimeoutMs: 2_500 };

/** How long a statement waits for the lock of another transaction, in milliseconds. */
const LOCK_TIMEOUT_MS = 3_000;

/** How long a transaction is repeated after conflicts, in milliseconds. */
const CONFLICT_MS = 5_000;

/** How often a transaction is repeated after other errors, such as a lost connection. */
const MAX_REPETITIONS = 3;

/**
 * The pause before the first repetition, in milliseconds. It doubles with each repetition up to the maximum, and is
 * multiplied by a random factor from 0.5 to 1.5.
 */
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

type Kind = "read" | "write";

/** `orgId` is the organization of `writes` writes, and `oneRound` is described at `Store.read`. */
type Way = { orgId?: string; writes?: number; oneRound?: boolean };

/**
 * Opens the store at a URL. Connects when the first transaction begins.
 *
 * @throws SETTING_INVALID, CREDENTIALS_UNUSABLE: see `readSettings`
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Store {
  return new PostgresStore(readSettings(url, options.env ?? process.env), options);
}

/**
 * Creates the tables of a store if they do not exist.
 *
 * @returns whether the tables were created
 * @throws StoreError if the database can't be used, or contains tables of another program
 */
export async function createPostgres(url: string, options: PostgresOptions = {}): Promise<boolean> {
  const store = new PostgresStore(readSettings(url, options.env ?? process.env), options);
  try {
    return await store.create();
  } finally {
    await store.close();
  }
}

class PostgresStore implements Store {
  readonly #settings: PostgresSettings;
  readonly #options: Required<Pick<PostgresOptions, "statementTimeoutMs" | "idleTimeoutMs" | "isolation">>;
  readonly #pool: ConnectionPool;
  readonly #writes = new OrganizationWrites({
    commit: (orgId, jobs) => this.#commit(orgId, jobs),
    timeoutMs: CONNECT_TIMEOUT_MS,
  });
  #isClosed = false;
  #retries = 0;

  constructor(settings: PostgresSettings, options: PostgresOptions) {
    this.#settings = settings;
    const { connections = 1, statementTimeoutMs = 600_000, idleTimeoutMs = 15_000 } = options;
    const { beginTimeoutMs = 15_000, isolation = "read committed" } = options;
    this.#options = { statementTimeoutMs, idleTimeoutMs, isolation };
    // The server ends a statement after `statementTimeoutMs`. The client waits a second longer. Its own limit is for a
    // server that does not answer.
    const others = statementTimeoutMs + 1_000;
    const first = Math.min(beginTimeoutMs, others);
    this.#pool = new ConnectionPool(settings, { max: connections, answerTimeoutsMs: { first, others } });
  }

  read<T>(work: (tx: Tx) => Promise<T>, oneRound = false): Promise<T> {
    return this.#transact("read", work, { oneRound });
  }

  write<T>(work: (tx: Tx) => Promise<T>, orgId?: string): Promise<T> {
    if (orgId === undefined) return this.#transact("write", (tx) => raisingDataVersion(tx, work), {});
    return this.#writes.add(orgId, work, () => busyOrganization(this.#settings.name));
  }

  raisesVersions(): boolean {
    return true;
  }

  retries(): number {
    return this.#retries;
  }

  verify(): Promise<string[]> {
    return this.#withConnection((connection) => schemaDifferences(connection, this.#settings));
  }

  create(): Promise<boolean> {
    return this.#withConnection((connection) => createStore(connection, this.#settings));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.close();
  }

  /**
   * Runs jobs of an organization in one transaction, and settles them after its commit. If one of them fails after a
   * write, each job runs in a transaction of its own. Few jobs do, because the engine checks the rules first.
   *
   * @returns whether a commit succeeded
   */
  async #commit(orgId: string, jobs: readonly Job[]): Promise<boolean> {
    if (this.#isClosed) return settleAll(jobs, storeClosed());
    if (jobs.length > 1) {
      const outcome = await settled(
        this.#transact("write", (tx) => runTogether(tx, jobs), { orgId, writes: jobs.length }),
      );
      if (!("error" in outcome)) return settleAll(jobs);
      const { error } = outcome;
      if (!(error instanceof FailedAfterWrite) && !(error instanceof ConstraintViolation))
        return settleAll(jobs, error);
    }
    let hasCommitted = false;
    for (const job of jobs) {
      const outcome = await settled(this.#transact("write", (tx) => runAlone(tx, job), { orgId }));
      if ("error" in outcome) job.reject(outcome.error);
      else job.settle();
      hasCommitted ||= !("error" in outcome);
    }
    return hasCommitted;
  }

  /**
   * Runs `work` in one transaction. Runs `work` again after a conflict with a concurrent transaction or a lost
   * connection, but not after a timeout.
   */
  async #transact<T>(kind: Kind, work: (tx: Tx) => Promise<T>, { orgId, writes = 1, oneRound }: Way): Promise<T> {
    const isSerializable = this.#options.isolation === "serializable";
    let endsEarly = oneRound === true && !isSerializable;
    let isMigrated = false;
    const deadline = performance.now() + CONFLICT_MS;
    let [pauseMs, interruptions] = [PAUSE_MS, 0];
    let ended = Promise.resolve();
    for (;;) {
      // A repetition uses the connection again.
      await ended;
      const connection = await this.#connect();
      const transaction = new Transaction(connection, this.#settings.name, { isSerializable });
      try {
        const numbers = kind === "write" && orgId !== undefined ? new AuditNumbers(orgId, writes) : undefined;
        const begun = settled(this.#begin(transaction, kind, numbers));
        const running = settled(transaction.run(work, numbers));
        if (endsEarly) setImmediate(() => transaction.endEarly());
        // Until `work` has ended, it can send statements. After a rollback, each of them would be a transaction of its own.
        const outcome = await running;
        const found = resultOf(await begun);
        if (found !== SCHEMA_VERSION) {
          // The records have other columns than `work` expects, so its result means nothing.
          if (isMigrated) throw otherVersion(this.#settings.name, found);
          await transaction.rollback();
          await this.#guard(() => requireStore(connection, this.#settings));
          isMigrated = true;
          continue;
        }
        if (transaction.isLate) {
          endsEarly = false;
          continue;
        }
        const result = resultOf(outcome);
        // A read with the isolation level `repeatable read` has nothing to commit.
        if (kind === "write" || isSerializable) await transaction.commit();
        return result;
      } catch (error) {
        const mayRepeat = transaction.isConflicting
          ? performance.now() < deadline
          : transaction.isInterrupted && interruptions++ < MAX_REPETITIONS;
        if (!mayRepeat) throw error;
      } finally {
        // The caller does not wait for the end of a transaction that has nothing to commit.
        ended = transaction.rollback().then(() => connection.release(transaction.isBroken));
      }
      this.#retries++;
      await setTimeout(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /**
   * Begins a transaction. All its statements are sent at once.
   *
   * @returns the version of the schema; undefined if there are no tables of formctl
   * @throws StoreError STORE_CORRUPT if the organization has no state. Its writes would not wait for each other
   */
  async #begin(transaction: Transaction, kind: Kind, numbers: AuditNumbers | undefined): Promise<number | undefined> {
    try {
      const begun = transaction.begin(this.#beginText(kind), this.#settingsOf(kind), numbers?.reservation);
      await numbers?.begin(begun.then(([, reserved]) => reserved));
      const [settings] = await begun;
      return Number((settings.rows[0] as { value: string | null } | undefined)?.value ?? undefined);
    } catch (error) {
      if (error instanceof StoreError && isMissingTable(error.cause)) return undefined;
      throw error;
    }
  }

  #beginText(kind: Kind): string {
    const { isolation } = this.#options;
    const snapshot = isolation === "serializable" ? isolation : "repeatable read";
    return kind === "read" ? `BEGIN ISOLATION LEVEL ${snapshot} READ ONLY` : `BEGIN ISOLATION LEVEL ${isolation}`;
  }

  /** Returns the query that sets the limits of a transaction, and reads the version of the schema. */
  #settingsOf(kind: Kind): Sql {
    const { statementTimeoutMs, idleTimeoutMs } = this.#options;
    const { schema } = this.#settings;
    // A read holds no locks, so it may be idle for longer. For example, this process writes to another store meanwhile.
    const idleMs = kind === "read" ? Math.max(idleTimeoutMs, statementTimeoutMs) : idleTimeoutMs;
    const settings = {
      statement_timeout: String(statementTimeoutMs),
      lock_timeout: String(LOCK_TIMEOUT_MS),
      idle_in_transaction_session_timeout: String(idleMs),
      ...(schema !== undefined && { search_path: identifier(schema) }),
    };
    const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
    // The server finds the table before the search path is set.
    const meta = raw(schema === undefined ? META : `${identifier(schema)}.${META}`);
    return sql`SELECT ${join(set)}, (SELECT value FROM ${meta} WHERE key = ${VERSION_KEY}) AS value`;
  }

  async #withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    let isBroken = true;
    try {
      const result = await this.#guard(() => work(connection));
      isBroken = false;
      return result;
    } finally {
      connection.release(isBroken);
    }
  }

  #connect(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    return this.#pool.connect();
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(this.#settings.name, error);
    }
  }
}

/**
 * Runs a write that names no organization. It may change records of all organizations, so it raises the version of the
 * whole store. This is its last statement: until the commit, other such writes wait for the row.
 */
async function raisingDataVersion<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await work(tx);
  await tx.write(sql`
    INSERT INTO ${raw(META)} (key, value) VALUES (${DATA_VERSION_KEY}, '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(${raw(META)}.value AS BIGINT) + 1 AS TEXT)`);
  return result;
}

function otherVersion(name: string, version: number | undefined): unknown {
  return toStoreError(name, new ConnectionError(`the server sent ${version} as the version of the schema`));
}

/** One of several jobs failed after a write, so the transaction must not be committed. */
class FailedAfterWrite extends Error {}

/** @throws FailedAfterWrite */
async function runTogether(tx: Tx, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    let hasWritten = false;
    const written = <T>(result: T): T => ((hasWritten = true), result);
    const failure = await job.run({
      ...tx,
      run: (query) => written(tx.run(query)),
      write: (query) => written(tx.write(query)),
    });
    if (failure && hasWritten) throw new FailedAfterWrite();
  }
}

/** @throws the error of the job */
async function runAlone(tx: Tx, job: Job): Promise<void> {
  const failure = await job.run(tx);
  if (failure) throw failure.error;
}

/** Settles jobs with their results, or rejects them with an error. @returns whether they have their results */
function settleAll(jobs: readonly Job[], error?: unknown): boolean {
  for (const job of jobs) {
    if (error === undefined) job.settle();
    else job.reject(error);
  }
  return error === undefined;
}
