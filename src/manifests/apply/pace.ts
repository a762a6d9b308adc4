/** Sends requests no faster than the service accepts them: after a 429, all requests wait together. */

import { ServiceError } from "../../service.ts";

/** The longest wait in milliseconds that a service may request, and the longest total wait while it accepts nothing. */
const MAX_WAIT_MS = 60_000;
/**
 * The shortest wait in milliseconds if the service sends `Retry-After`, and the first wait if it does not. Each further
 * wait without `Retry-After` is twice as long as the previous one.
 */
const MIN_WAIT_MS = 1_000;
/** The longest wait in milliseconds that the service did not request. */
const MAX_UNREQUESTED_WAIT_MS = 5_000;

export type Pace = {
  /**
   * Sends a request as soon as no wait is in progress, and again after each 429, because a request that was refused
   * with 429 was not carried out. `isRetry` is true if the request was refused before.
   *
   * @throws what `attempt` throws; the reason of `ending`; the 429 if the wait would take too long. If this 429 states
   *   a time, other requests before that time are not sent and throw it too
   */
  send<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T>;
  /** Resolves as soon as no wait is in progress. @throws a 429 that states a time, before that time */
  opened(): Promise<void>;
};

export type PaceOptions = {
  now: () => Date;
  /** Waits, and ends early when `ending` is aborted. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  ending: AbortSignal;
  /** Called at the start of each wait. `isRequested` is true if the service stated how long to wait. */
  onWait: (until: Date, isRequested: boolean) => void;
  /** Called after a wait, before the refused requests are sent again. */
  onResume: () => void;
};

export function createPace({ now, sleep, ending, onWait, onResume }: PaceOptions): Pace {
  const gate: { reopens?: Promise<void> | undefined } = {};
  /** Milliseconds waited since the service last accepted a request. */
  let waited = 0;
  /** The number of waits since then that the service did not request. */
  let unrequested = 0;
  let givenUp: (ServiceError & { retryAt: Date }) | undefined;

  return {
    async send(attempt) {
      for (let isRetry = false; ; isRetry = true) {
        await opened();
        if (isRetry) ending.throwIfAborted();
        try {
          const answer = await attempt(isRetry);
          waited = unrequested = 0;
          return answer;
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 429) throw error;
          const requested = error.retryAt && Math.max(MIN_WAIT_MS, error.retryAt.getTime() - now().getTime());
          const wait = requested ?? Math.min(MAX_UNREQUESTED_WAIT_MS, MIN_WAIT_MS * 2 ** unrequested);
          if (wait > MAX_WAIT_MS || (!gate.reopens && waited + wait > MAX_WAIT_MS)) {
            if (hasRetryTime(error)) givenUp = error;
            throw error;
          }
          gate.reopens ??= closeGate(wait, requested !== undefined);
        }
      }
    },
    opened,
  };

  async function opened(): Promise<void> {
    while (gate.reopens) await gate.reopens;
    if (givenUp && now() < givenUp.retryAt) throw givenUp;
  }

  async function closeGate(milliseconds: number, isRequested: boolean): Promise<void> {
    waited += milliseconds;
    if (!isRequested) unrequested++;
    onWait(new Date(now().getTime() + milliseconds), isRequested);
    await sleep(milliseconds, ending);
    gate.reopens = undefined;
    onResume();
  }
}

function hasRetryTime(error: ServiceError): error is ServiceError & { retryAt: Date } {
  return error.retryAt !== undefined;
}
