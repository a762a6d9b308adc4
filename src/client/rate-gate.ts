/**
 * Limits the rate of all requests of a run. No request starts during a wait after a 429, and the starts of requests are
 * spaced if the user limits the rate (docs/decisions.md, "Retries and unknown outcomes").
 */

import type { Answer } from "./exchange.ts";
import { MAX_RETRY_AFTER } from "./retry.ts";

/**
 * The shortest wait in milliseconds after a 429 with `Retry-After`. Also the first wait without `Retry-After`. Each
 * further wait without `Retry-After` is twice as long as the previous wait.
 */
const MIN_WAIT = 1_000;
/** The longest wait in milliseconds that the server did not request. */
const MAX_UNREQUESTED_WAIT = 5_000;

export type RateGateOptions = {
  now: () => Date;
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /** The maximum number of requests that start in a second. By default, there is no limit. */
  maxRequestsPerSecond?: number | undefined;
  /**
   * The longest wait in milliseconds that is accepted from the server. Also the longest total wait while the server
   * answers every request with 429. Default: a minute.
   */
  patience?: number | undefined;
};

/** How a request waits. */
export type Waiting = {
  /** Ends the wait when it is aborted. */
  signal?: AbortSignal | undefined;
  /** No wait that ends later is begun. In milliseconds since 1970. */
  expires?: number | undefined;
  /** Called once for each wait after a 429. `isRequested` is true if the server stated how long to wait. */
  onWait?: ((until: Date, isRequested: boolean) => void) | undefined;
};

/** A 429 that states when requests are accepted again. */
type Refusal = { answer: Answer; retryAt: Date };

type RequestKind = "read" | "write";

export type RateGate = {
  /**
   * Resolves as soon as a request may start.
   *
   * @returns `stopped` if the signal ended the wait, `expired` if the wait would end after `expires`. The 429 after
   *   which the run gave up, until the time that it states
   */
  enter(waiting: Waiting): Promise<"open" | "stopped" | "expired" | Refusal>;
  /**
   * Reports that the server accepts requests. The next 429 starts a new minute. An accepted read is no progress for
   * writes, because a refused write may be sent again after a read of its effect.
   */
  accept(kind: RequestKind): void;
  /**
   * Reports a 429. All requests then wait.
   *
   * @param refusal.retryAt the time that the server states
   * @returns false if the wait would take too long. The request must not be sent again
   */
  refuse(kind: RequestKind, refusal: { answer: Answer; retryAt: Date | undefined }, waiting: Waiting): boolean;
};

/** All times are in milliseconds. */
export function createRateGate(options: RateGateOptions): RateGate {
  const { now, sleep, maxRequestsPerSecond, patience = MAX_RETRY_AFTER } = options;
  const interval = maxRequestsPerSecond === undefined ? 0 : 1_000 / maxRequestsPerSecond;
  /** The end of the last completed wait. The clock may still be before this time, for example if it was set back. */
  let reached = 0;
  let wait = { until: 0, isRequested: false, reported: new Set<Waiting["onWait"]>() };
  /** The start of the next request, if the rate is limited by the user. */
  let nextStart = 0;
  /** The total wait, and the number of waits whose length the server did not state, since the last progress. */
  const sinceProgress = { read: { waited: 0, unrequested: 0 }, write: { waited: 0, unrequested: 0 } };
  let givenUp: Refusal | undefined;

  const time = () => Math.max(now().getTime(), reached);
  const isClosed = () => wait.until > time();
  const hasGivenUp = () => givenUp !== undefined && time() < givenUp.retryAt.getTime();

  return {
    async enter(waiting) {
      for (;;) {
        while (isClosed()) {
          if (isLate(wait.until, waiting)) return "expired";
          report(waiting);
          if (!(await waitUntil(wait.until, waiting.signal))) return "stopped";
        }
        if (hasGivenUp()) return givenUp!;
        const current = time();
        const start = Math.max(current, nextStart);
        if (start > current && isLate(start, waiting)) return "expired";
        nextStart = start + interval;
        if (start === current) return "open";
        if (!(await waitUntil(start, waiting.signal))) return "stopped";
        if (!isClosed() && !hasGivenUp()) return "open";
      }
    },
    accept(kind) {
      sinceProgress.read = { waited: 0, unrequested: 0 };
      if (kind === "write") sinceProgress.write = { waited: 0, unrequested: 0 };
    },
    refuse(kind, { answer, retryAt }, waiting) {
      const since = sinceProgress[kind];
      const requested = retryAt && Math.max(MIN_WAIT, retryAt.getTime() - now().getTime());
      const milliseconds = requested ?? Math.min(MAX_UNREQUESTED_WAIT, MIN_WAIT * 2 ** since.unrequested);
      const until = time() + milliseconds;
      const added = isClosed() ? until - wait.until : milliseconds;
      // Requests that were sent together are refused together. Their answers are one refusal.
      const isSame = isClosed() && (!requested || added < MIN_WAIT);
      if (milliseconds > patience || (!isSame && since.waited + added > patience)) {
        if (retryAt) givenUp = { answer, retryAt };
        return false;
      }
      if (isSame) {
        if (requested) wait.until = Math.max(wait.until, until);
      } else {
        since.waited += added;
        if (!requested) since.unrequested++;
        wait = { until, isRequested: requested !== undefined, reported: new Set() };
      }
      report(waiting);
      return true;
    },
  };

  function isLate(until: number, { expires = Infinity }: Waiting): boolean {
    return now().getTime() + until - time() >= expires;
  }

  function report({ onWait }: Waiting): void {
    if (wait.reported.has(onWait)) return;
    wait.reported.add(onWait);
    onWait?.(new Date(now().getTime() + wait.until - time()), wait.isRequested);
  }

  async function waitUntil(until: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return false;
    // The clock may have passed `until` since the caller compared them.
    await sleep(Math.max(0, until - time()), signal);
    if (signal?.aborted) return false;
    reached = Math.max(reached, until);
    return true;
  }
}
