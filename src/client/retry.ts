/** Which requests may be sent again, and when (docs/decisions.md, "Retries and unknown outcomes"). Pure. */

/**
 * `read`: nothing changes. `replayed`: a write with an id by which the server knows it again. `once`: a write that a
 * second sending would do a second time.
 */
export type Repeatability = "read" | "replayed" | "once";

/** How an attempt ended: not sent at all, sent without a whole answer, or answered. */
export type Outcome =
  | { kind: "unsent" }
  | { kind: "cut" }
  | { kind: "answered"; status: number; retryAfter: Date | undefined };

export const MAX_ATTEMPTS = 4;
/** The longest that a server may ask to wait. */
export const MAX_RETRY_AFTER = 60_000;
const FIRST_BACKOFF = 200;
const MAX_BACKOFF = 5_000;

const TEMPORARY = new Set([429, 502, 503, 504]);

/** Whether the same bytes may be sent again after `outcome`. */
export function mayResend(kind: Repeatability, outcome: Outcome): boolean {
  if (outcome.kind === "unsent") return true;
  if (kind === "once") return false;
  if (outcome.kind === "cut") return true;
  // A server that failed may have done the write before: with the same id it answers what it did.
  return TEMPORARY.has(outcome.status) || (kind === "replayed" && outcome.status === 500);
}

/** Whether a write that ended so may have been done nevertheless. */
export function mayHaveHappened(outcome: Outcome): boolean {
  if (outcome.kind !== "answered") return outcome.kind === "cut";
  return outcome.status === 408 || (outcome.status >= 500 && outcome.status !== 501);
}

/** Exponential backoff with full jitter: callers that failed together do not come back together. */
export function backoff(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1)));
}

/**
 * The time until which a server asks to wait (RFC 9110, section 10.2.3): seconds, or a date.
 *
 * @param clock the server's own time where it told it, so that a clock that is wrong here does not matter
 * @returns undefined for anything that is neither
 */
export function parseRetryAfter(text: string | null, now: Date, clock: Date = now): Date | undefined {
  const value = text?.trim() ?? "";
  if (/^\d{1,10}$/.test(value)) return new Date(now.getTime() + Number(value) * 1000);
  // A date has the name of its day in front: `new Date("-1")` would be one too.
  const at = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(now.getTime() + Math.max(0, at - clock.getTime()));
}

export type RetryBudget = { spend(): boolean; refund(): void };

/**
 * How many retries a process may make: each costs, each success gives a little back. When a server is down for long,
 * many callers then stop pressing on it.
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
