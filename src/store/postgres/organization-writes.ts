/** Runs the writes of each organization one after another. Writes that wait share a commit. */

import type { Tx } from "../store.ts";
import { type Job, TransactionQueue } from "../transaction-queue.ts";

export type OrganizationWritesOptions = {
  /** Runs jobs of one organization, and settles each of them. Never throws. @returns whether a commit succeeded */
  commit: (orgId: string, jobs: readonly Job[]) => Promise<boolean>;
  /** How long a write may wait while no commit of its organization succeeds, in milliseconds. */
  timeoutMs: number;
};

type Queue = { jobs: TransactionQueue; waiting: number; movedAt: number };

/**
 * A queue of writes for each organization. Without the queue, writes would wait for a lock in the database. The waiting
 * writes of one organization could then use all connections of the process.
 */
export class OrganizationWrites {
  readonly #queues = new Map<string, Queue>();
  readonly #options: OrganizationWritesOptions;

  constructor(options: OrganizationWritesOptions) {
    this.#options = options;
  }

  /** Adds a write. @throws the result of `onTimeout` if the write waits too long. Then it does not run */
  async add<T>(orgId: string, work: (tx: Tx) => Promise<T>, onTimeout: () => Error): Promise<T> {
    const { timeoutMs } = this.#options;
    const queue = this.#queueOf(orgId);
    const { promise: late, reject } = Promise.withResolvers<never>();
    let expired: Error | undefined;
    const expire = () => {
      const left = queue.movedAt + timeoutMs - performance.now();
      if (left > 0) timer = setTimeout(expire, left);
      else reject((expired = onTimeout()));
    };
    let timer = setTimeout(expire, timeoutMs);
    const done = queue.jobs.add("write", async (tx) => {
      clearTimeout(timer);
      if (expired) throw expired;
      return work(tx);
    });
    queue.waiting++;
    const end = () => {
      clearTimeout(timer);
      if (--queue.waiting === 0) this.#queues.delete(orgId);
    };
    done.then(end, end);
    return Promise.race([done, late]);
  }

  #queueOf(orgId: string): Queue {
    const known = this.#queues.get(orgId);
    if (known) return known;
    const queue: Queue = {
      waiting: 0,
      movedAt: performance.now(),
      jobs: new TransactionQueue(async (_kind, jobs) => {
        if (await this.#options.commit(orgId, jobs)) queue.movedAt = performance.now();
      }),
    };
    this.#queues.set(orgId, queue);
    return queue;
  }
}
