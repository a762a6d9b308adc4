/** Sends requests. Repeats a request within a deadline when that is safe. */

import type { Secret } from "../secret.ts";
import { type Answer, exchange, type Request } from "./exchange.ts";
import type { Fetch } from "./fetch.ts";
import { tokenHider } from "./hide-token.ts";
import { listBudget, type ListLimits } from "./list-budget.ts";
import { NoAnswer } from "./no-answer.ts";
import {
  backoff,
  MAX_ATTEMPTS,
  MAX_RETRY_AFTER,
  mayBeDoneAfter,
  mayResend,
  type Outcome,
  parseRetryAfter,
  type Repeatability,
  retryBudget,
} from "./retry.ts";

export type Attempt = {
  method: string;
  /** Path and query, without the origin. */
  path: string;
  attempt: number;
  /** The status of the answer, or the error code. */
  outcome: number | string;
  milliseconds: number;
};

export type TransportOptions = {
  /** The base URL. It may have a path, and has no trailing slash. */
  baseUrl: string;
  token: Secret;
  fetch: Fetch;
  /** The time limit of a call in milliseconds. The waits that the server requests do not count. */
  deadline: number;
  now: () => Date;
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /**
   * Aborted when the program must end. New requests and running reads then throw the reason of the signal, with two
   * exceptions: a write that was sent is awaited, and a read after a write is still sent and awaited.
   */
  ending?: AbortSignal | undefined;
  /** Returns a random number from 0 to 1. */
  random: () => number;
  /** Limits for all pages of a list. */
  listLimits?: ListLimits | undefined;
  /** Called after each attempt. Gets no headers and bodies, because they could be secret. */
  onAttempt?: (attempt: Attempt) => void;
  /** Called with a message for the first `deprecation` header, and for the first `sunset` header. */
  onNotice?: (notice: string) => void;
};

export type Sending = {
  method: string;
  /** Path and query. */
  path: string;
  body?: unknown;
  /** Lets the server recognize a repeated write. */
  idempotencyKey?: string;
  repeatability: Repeatability;
};

export type Sent = {
  answer: Answer;
  /** True if an earlier attempt of the same write may have been done. */
  uncertain: boolean;
  /** The end of the wait that the server requests. Undefined if the server requests none. */
  retryAt: Date | undefined;
};

export type Transport = (sending: Sending) => Promise<Sent>;

/** What a page of a list needs in memory besides its values. */
const PAGE_BYTES = 4096;

export function createTransport(options: TransportOptions): Transport {
  const { fetch, deadline, now, sleep, random, onAttempt, ending } = options;
  const hide = tokenHider(options.token.reveal());
  const budget = retryBudget();
  const lists = listBudget(new URL(options.baseUrl).origin, options.listLimits);
  const announce = announcements(options.onNotice);
  const interrupted = ending && rejection(ending);
  let hasWritten = false;
  return async (sending) => {
    const request = requestOf(options, sending);
    const isWrite = sending.repeatability !== "read";
    /**
     * True for each read after a write. The read may check the effect of the write, so `ending` does not stop the read.
     */
    const isReadBack = !isWrite && hasWritten;
    const begun = now().getTime();
    let left = deadline;
    let waited = 0;
    let uncertain = false;
    for (let attempt = 1; ; attempt++) {
      if (!isReadBack) ending?.throwIfAborted();
      if (isWrite) hasWritten = true;
      const started = now().getTime();
      const exchanged = exchange(fetch, request, { milliseconds: Math.max(1, left), hide }).catch(asNoAnswer);
      const result = await (interrupted && !isWrite && !isReadBack
        ? Promise.race([exchanged, interrupted])
        : exchanged);
      const ended = now();
      const milliseconds = ended.getTime() - started;
      left -= milliseconds;
      const outcome = outcomeOf(result, ended);
      onAttempt?.({
        method: sending.method,
        path: sending.path,
        attempt,
        outcome: result instanceof NoAnswer ? result.code : result.status,
        milliseconds,
      });
      if (!(result instanceof NoAnswer)) announce(result);

      const retryAfter = outcome.kind === "answered" ? outcome.retryAfter : undefined;
      const asked = retryAfter && retryAfter.getTime() - ended.getTime();
      const wait = asked ?? backoff(attempt, random);
      const isInTime = asked === undefined ? left > wait : left > 0 && waited + asked <= MAX_RETRY_AFTER;
      const mayRepeat = isTemporary(result) && mayResend(sending.repeatability, outcome) && isInTime;
      const isRepeated = mayRepeat && attempt < MAX_ATTEMPTS && budget.spend();
      if (isRepeated) await sleep(wait, ending);
      const isOpen = isReadBack || (isWrite && (uncertain || mayBeDoneAfter(outcome)));
      if (!isRepeated || (isOpen && ending?.aborted)) {
        if (result instanceof NoAnswer) throw uncertain ? result.asSent() : result;
        if (result.status < 400) budget.refund();
        if (!isWrite)
          lists.spend(sending.path, { bytes: result.memory + PAGE_BYTES, milliseconds: ended.getTime() - begun });
        return { answer: result, uncertain, retryAt: retryAfter };
      }
      uncertain ||= mayBeDoneAfter(outcome);
      if (asked === undefined) left -= wait;
      else waited += asked;
    }
  };
}

function requestOf({ baseUrl, token }: TransportOptions, sending: Sending): Request {
  const { method, path, body, idempotencyKey } = sending;
  return {
    method,
    url: `${baseUrl}${path}`,
    headers: {
      accept: "application/json",
      // `identity` forbids compression, because a compressed answer could be a decompression bomb.
      "accept-encoding": "identity",
      authorization: `Bearer ${token.reveal()}`,
      "user-agent": "formctl",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function rejection(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  // This handler prevents an unhandled rejection when no request is running.
  rejected.catch(() => undefined);
  return rejected;
}

function asNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}

/** Whether a retry can have another result. For an answer, {@link mayResend} decides by its status. */
function isTemporary(result: Answer | NoAnswer): boolean {
  return !(result instanceof NoAnswer) || result.code === "UNREACHABLE" || result.code === "ANSWER_CUT";
}

function outcomeOf(result: Answer | NoAnswer, now: Date): Outcome {
  if (result instanceof NoAnswer) return { kind: result.sent ? "cut" : "unsent" };
  const clock = Date.parse(result.headers.get("date") ?? "");
  const serverTime = Number.isNaN(clock) ? now : new Date(clock);
  // `Retry-After` matters only with an error status.
  const retryAfter = result.status < 400 ? null : result.headers.get("retry-after");
  return { kind: "answered", status: result.status, retryAfter: parseRetryAfter(retryAfter, now, serverTime) };
}

/** Returns a function that reports the headers `deprecation` (RFC 9745) and `sunset` (RFC 8594) once each. */
function announcements(onNotice: TransportOptions["onNotice"]): (answer: Answer) => void {
  const reported = new Set<string>();
  return ({ headers }) => {
    for (const name of ["deprecation", "sunset"]) {
      const value = headers.get(name);
      if (value === null || reported.has(name)) continue;
      reported.add(name);
      onNotice?.(`The server announces ${name}: ${value}`);
    }
  };
}
