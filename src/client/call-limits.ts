/** Limits a call: an abort signal, a time limit, the number of retries. Also checks the headers that a caller adds. */

import { FormctlError } from "../base/error.ts";
import type { CallOptions } from "../service.ts";
import { timedOut } from "./no-answer.ts";

/** The options of a client that apply to each call. An option of the call has precedence. */
export type CallDefaults = Pick<CallOptions, "signal" | "timeout" | "maxRetries" | "headers">;

/** A call whose `signal` is also aborted at its time limit. */
export type LimitedCall = CallOptions & {
  /** The end of the call at its time limit, in milliseconds since 1970. */
  expires?: number | undefined;
};

/** The longest time of a timer in milliseconds. A timer with a longer time ends at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs a call within its limits. The work must end when the signal that it gets is aborted. Both signals, of the call
 * and of `defaults`, abort it.
 *
 * @throws INVALID_VALUE for an invalid limit or header
 */
export async function withinLimits<T>(
  call: CallOptions,
  defaults: CallDefaults,
  { origin, now }: { origin: string; now: () => Date },
  work: (call: LimitedCall) => Promise<T>,
): Promise<T> {
  const { timeout = defaults.timeout, maxRetries = defaults.maxRetries } = call;
  requireNumbers(call);
  const headers = { ...lowerCase(defaults.headers), ...lowerCase(call.headers) };
  const signals = [call.signal, defaults.signal];
  const limited = { ...call, maxRetries, headers };
  if (timeout === undefined) return work({ ...limited, signal: joined(signals) });
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(origin, timeout)), Math.min(timeout, LONGEST_TIMER));
  try {
    const expires = now().getTime() + timeout;
    return await work({ ...limited, timeout, expires, signal: joined([...signals, limit.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** @throws INVALID_VALUE for an invalid limit or header */
export function requireLimits(limits: CallDefaults): void {
  requireNumbers(limits);
  lowerCase(limits.headers);
}

function requireNumbers({ timeout, maxRetries }: CallDefaults): void {
  requireLimit("timeout", timeout, (value) => value > 0, "a number of milliseconds above 0");
  requireLimit("maxRetries", maxRetries, (value) => Number.isSafeInteger(value) && value >= 0, "a whole number from 0");
}

/** Returns a signal that is aborted with the first of the signals. Undefined without signals. */
export function joined(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const [first, ...others] = signals.filter((signal) => signal !== undefined);
  return first && others.length > 0 ? AbortSignal.any([first, ...others]) : first;
}

/** Headers that formctl sets, or that the connection determines. */
const OWN_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** @throws INVALID_VALUE for a header that formctl sets, and for an invalid name or value (RFC 9110, section 5) */
function lowerCase(headers: CallOptions["headers"] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const key = name.toLowerCase();
      if (OWN_HEADERS.has(key)) throw invalid(`headers: "${name}" is set by formctl`);
      if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw invalid(`headers: "${name}" is not the name of a header`);
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw invalid(`headers: the value of "${name}" is not a header value`);
      return [key, value];
    }),
  );
}

function requireLimit(
  name: string,
  value: number | undefined,
  isValid: (value: number) => boolean,
  wanted: string,
): void {
  if (value === undefined || isValid(value)) return;
  throw invalid(`${name} must be ${wanted}, not ${String(value)}`);
}

function invalid(message: string): FormctlError {
  return new FormctlError("INVALID_VALUE", message);
}
