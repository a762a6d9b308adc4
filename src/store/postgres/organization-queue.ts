/** Runs the writes of each organization one after another. */

/**
 * A queue of writes for each organization. Without the queue, writes would wait for a lock in the database. The waiting
 * writes of one organization could then use all connections of the process.
 */
export class OrganizationQueue {
  readonly #last = new Map<string, Promise<void>>();
  readonly #timeoutMs: number;

  /** @param timeoutMs how long a task may wait for earlier tasks, in milliseconds */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs a task after all earlier tasks with the same key. @throws the result of `onTimeout` if the task waits too long
   */
  async run<T>(key: string, task: () => Promise<T>, onTimeout: () => Error): Promise<T> {
    const before = this.#last.get(key);
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const mine = before ? before.then(() => done) : done;
    this.#last.set(key, mine);
    try {
      if (before) await this.#within(before, onTimeout);
      return await task();
    } finally {
      end();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  async #within(before: Promise<void>, onTimeout: () => Error): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(onTimeout()), this.#timeoutMs);
    try {
      await Promise.race([before, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
