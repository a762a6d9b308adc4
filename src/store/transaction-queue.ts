/** Queues the transactions of one connection. Waiting transactions of the same kind run together as one. */

import type { Tx } from "./store.ts";

export type TransactionKind = "read" | "write";

export type Failure = { error: unknown };

/** Work that waits for a transaction. Its caller gets the result when `settle` or `reject` is called. */
export type Job = {
  /**
   * Runs the work. If the work runs again in another transaction, the last run determines the result.
   *
   * @returns the error of the work, if any; never throws
   */
  run: (tx: Tx) => Promise<Failure | undefined>;
  settle: () => void;
  reject: (error: unknown) => void;
};

type Transact = (kind: TransactionKind, jobs: readonly Job[]) => Promise<void>;

/**
 * The maximum number of jobs in one transaction. A job gets its result only after the last job of the transaction. So
 * the limit keeps the wait short.
 */
const MAX_SHARED = 64;

/** Runs jobs in their order of arrival. A transaction ends before the next one begins. */
export class TransactionQueue {
  readonly #transact: Transact;
  #waiting: { kind: TransactionKind; job: Job }[] = [];
  #running: Promise<void> | undefined;

  /** @param transact runs all jobs in one transaction and settles each job; never throws */
  constructor(transact: Transact) {
    this.#transact = transact;
  }

  add<T>(kind: TransactionKind, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let settle = () => {};
    const run = (tx: Tx): Promise<Failure | undefined> =>
      work(tx).then(
        (result) => {
          settle = () => resolve(result);
          return undefined;
        },
        (error: unknown) => {
          settle = () => reject(error);
          return { error };
        },
      );
    this.#waiting.push({ kind, job: { run, settle: () => settle(), reject } });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when no job is waiting or running. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Jobs that are added in the same round of the event loop share the transaction.
    await new Promise(setImmediate);
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const { kind } = next;
      const other = this.#waiting.findIndex((one) => one.kind !== kind);
      const count = Math.min(other < 0 ? this.#waiting.length : other, MAX_SHARED);
      const jobs = this.#waiting.splice(0, count).map(({ job }) => job);
      await this.#transact(kind, jobs);
      // Other tasks of the process run between two transactions.
      if (this.#waiting.length > 0) await new Promise(setImmediate);
    }
    this.#running = undefined;
  }
}
