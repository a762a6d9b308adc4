/** Who waits for the one connection: what is of one kind and waits side by side goes together. */

import type { Tx } from "./store.ts";

export type TransactionKind = "read" | "write";

export type Failure = { error: unknown };

/** Something that wants a transaction. Whoever waits for it hears of its end when `tell` or `reject` is called. */
export type Job = {
  /** @returns why it was not done; never throws */
  run: (tx: Tx) => Promise<Failure | undefined>;
  tell: () => void;
  reject: (error: unknown) => void;
};

/** How many share a transaction at most: who comes last waits for all of them. */
const MAX_SHARED = 64;

/** Job in the order in which it came. A transaction ends before the next one begins. */
export class TransactionQueue {
  readonly #transact: (kind: TransactionKind, turn: readonly Job[]) => Promise<void>;
  #waiting: { kind: TransactionKind; work: Job }[] = [];
  #running: Promise<void> | undefined;

  /** @param transact does all of `turn` in one transaction, and tells each how it ended; never throws */
  constructor(transact: (kind: TransactionKind, turn: readonly Job[]) => Promise<void>) {
    this.#transact = transact;
  }

  take<T>(kind: TransactionKind, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let tell = () => {};
    const run = (tx: Tx): Promise<Failure | undefined> =>
      work(tx).then(
        (result) => {
          tell = () => resolve(result);
          return undefined;
        },
        (error: unknown) => {
          tell = () => reject(error);
          return { error };
        },
      );
    this.#waiting.push({ kind, work: { run, tell: () => tell(), reject } });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nobody waits any more. */
  async end(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever comes in the same round of the event loop comes along.
    await new Promise(setImmediate);
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const { kind } = next;
      const other = this.#waiting.findIndex((one) => one.kind !== kind);
      const count = Math.min(other < 0 ? this.#waiting.length : other, MAX_SHARED);
      await this.#transact(
        kind,
        this.#waiting.splice(0, count).map(({ work }) => work),
      );
      // Whatever else the process has to do comes before the next turn.
      if (this.#waiting.length > 0) await new Promise(setImmediate);
    }
    this.#running = undefined;
  }
}
