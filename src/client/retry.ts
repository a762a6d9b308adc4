/**
 * Decides whether a request may be repeated (docs/decisions.md, "Retries and unknown outcomes"). transport.ts waits
 * before it repeats the request. After a 429, it waits as long as rate-gate.ts lets no request start.
 */

import { mayBeDone } from "../service.ts";

/**
 * - `read`: The request changes nothing.
 * - `repeatableWrite`: The write has a clientMutationId. The server does a repeated write only once.
 * - `singleWrite`: A server may do a repeated write twice. The write has no clientMutationId, or the caller sets
 *   `isOnce`. The header `Idempotency-Key` is not enough: some servers ignore it.
 */
export type Repeatability = "read" | "repeatableWrite" | "singleWrite";

/**
 * The outcome of an attempt.
 *
 * - `unsent`: The server did not receive the request.
 * - `cut`: The server may have received the request, but no complete answer arrived.
 */
export type Outcome =
  | { kind: "unsent" }
  | { kind: "cut" }
  | { kind: "answered"; status: number; retryAfter: Date | undefined };

/** The maximum number of attempts of a call. Attempts that the server answered with 429 do not count. */
export const MAX_ATTEMPTS = 4;
/** The maximum total time in milliseconds that a call waits at the server's request. */
export const MAX_RETRY_AFTER = 60_000;
const FIRST_BACKOFF = 200;
const MAX_BACKOFF = 5_000;

const TEMPORARY = new Set([429, 502, 503, 504]);

export function mayResend(kind: Repeatability, outcome: Outcome): boolean {
  if (outcome.kind === "unsent") return true;
  if (kind === "singleWrite") return false;
  if (outcome.kind === "cut") return true;
  // The server may have done the write before it failed. A retry with the same id then gets the stored response.
  return TEMPORARY.has(outcome.status) || (kind === "repeatableWrite" && outcome.status === 500);
}

/** Whether a write may be done after this outcome: an answer that is not a refusal, or a cut connection. */
export function mayBeDoneAfter(outcome: Outcome): boolean {
  return outcome.kind === "answered" ? mayBeDone(outcome.status) : outcome.kind === "cut";
}

/**
 * Exponential backoff with full jitter. Without jitter, clients with a failure at the same time would also retry at the
 * same time.
 */
export function backoff(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1)));
}

/**
 * Returns the end of the wait that a server requests with `Retry-After`. The value is seconds or a date (RFC 9110,
 * section 10.2.3).
 *
 * @param clock the time of the server, if sent. A wrong clock of this machine then does not matter
 * @returns undefined for an invalid value
 */
export function parseRetryAfter(text: string | null, now: Date, clock: Date = now): Date | undefined {
  const value = text?.trim() ?? "";
  if (/^\d{1,10}$/.test(value)) return new Date(now.getTime() + Number(value) * 1000);
  // A valid date starts with a weekday. Date.parse also accepts "-1".
  const at = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(now.getTime() + Math.max(0, at - clock.getTime()));
}

export type RetryBudget = { spend(): boolean; refund(): void };

/**
 * Limits the retries of a transport. Otherwise retries could flood a failing server. Each retry spends `cost`, and each
 * success restores `gain`.
 */
export function retryBudget({ capacity = 500, cost = 14, gain = 1 } = {}): RetryBudget {
  let left = capacity;
  return {
    spend() {
      if (left < cost) return false;
      left -= cost;
      return true;
    },
    refund() {
      left = Math.min(capacity, left + gain);
    },
  };
}
