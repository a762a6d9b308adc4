/** Sends requests. Repeats a request within a deadline when that is safe. */

import type { Secret } from "../base/secret.ts";
import type { OperationName } from "../schemas/operations.ts";
import type { Observation } from "../schemas/contract/shapes.ts";
import { contentBudget } from "./content-budget.ts";
import { joined, type LimitedCall } from "./call-limits.ts";
import { type Answer, exchange, factsOf, type ReceivedAnswer, type Request } from "./exchange.ts";
import type { Fetch } from "./fetch.ts";
import { tokenHider } from "./hide-token.ts";
import { listBudget, type ListLimits } from "./list-budget.ts";
import { NoAnswer, timedOut } from "./no-answer.ts";
import { createRateGate, type RateGate } from "./rate-gate.ts";
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
  /** Undefined for a request that is not an operation of the API. */
  operation?: OperationName | undefined;
  method: string;
  /** Path and query, without the origin. */
  path: string;
  attempt: number;
  /** The status of the answer, or the error code. */
  outcome: number | string;
  milliseconds: number;
  /** The id that the server gave the request. */
  requestId?: string | undefined;
  /** The headers of the answer, by their lower-case names. They do not contain the token. Without `set-cookie`. */
  headers?: Readonly<Record<string, string>> | undefined;
};

export type TransportOptions = {
  /** The base URL. It may have a path, and has no trailing slash. */
  baseUrl: string;
  token: Secret;
  fetch: Fetch;
  /** Headers of each request. By default, `user-agent` is `formctl`. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The time limit of a call in milliseconds that has no `timeout`. The waits that the server requests, and those of
   * `gate`, do not count.
   */
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
  /** Shared by all transports of a run to one server. By default, the transport has its own gate. */
  gate?: RateGate | undefined;
  /** Limits for all pages of a list. */
  listLimits?: ListLimits | undefined;
  /** Called after each attempt. Gets no headers of the request and no bodies, because they could be secret. */
  onAttempt?: (attempt: Attempt) => void;
  /** Called with the answer to each read, before it is read: reading changes it. */
  onAnswer?: ((answer: Observation) => void) | undefined;
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
  operation?: OperationName;
  call?: LimitedCall | undefined;
};

export type Sent = {
  answer: Answer;
  /** True after a 429 if the request may be sent again. It then waits as long as all requests wait. */
  isLimited: boolean;
  attempts: number;
  /** True if an earlier attempt of the same write may have been done. */
  uncertain: boolean;
  /** The end of the wait that the server requests. Undefined if the server requests none. */
  retryAt: Date | undefined;
};

export type Transport = (sending: Sending) => Promise<Sent>;

/** What a page of a list needs in memory besides its values. */
const PAGE_BYTES = 4096;

export function createTransport(options: TransportOptions): Transport {
  const { fetch, deadline, now, sleep, random, onAttempt, ending, gate = createRateGate(options) } = options;
  const hide = tokenHider(options.token.reveal());
  const budget = retryBudget();
  const { origin } = new URL(options.baseUrl);
  const lists = listBudget(origin, options.listLimits);
  const contents = contentBudget(origin, now);
  const announce = announcements(options.onNotice);
  const interruptible = ending && untilAborted(ending);
  let hasWritten = false;
  return async (sending) => {
    const { repeatability, operation, call = {} } = sending;
    const { maxRetries, expires = Infinity } = call;
    const request = requestOf(options, sending);
    const isWrite = repeatability !== "read";
    const kind = isWrite ? "write" : "read";
    /**
     * True for each read after a write. The read may check the effect of the write, so `ending` does not stop the read.
     */
    const isReadBack = !isWrite && hasWritten;
    const stopWaiting = call.stopWaiting ?? (isReadBack ? undefined : ending);
    const signal = joined([call.signal, stopWaiting]);
    const waiting = { signal, expires, onWait: call.onWait };
    let left = call.timeout ?? deadline;
    let attempt = 0;
    let waited = 0;
    /** When the first attempt was sent. */
    let begun = 0;
    let failures = 0;
    let uncertain = false;
    let last: { result: ReceivedAnswer | NoAnswer; retryAt: Date | undefined } | undefined;
    for (;;) {
      if (!isReadBack) ending?.throwIfAborted();
      const entered = call.signal?.aborted ? "stopped" : await gate.enter(waiting);
      const isAborted = entered === "stopped" || call.signal?.aborted === true;
      if (isAborted || entered === "expired") {
        if (last && ((isWrite && uncertain) || entered === "expired"))
          return finished(last.result, last.retryAt, false);
        throw isAborted ? signal?.reason : timedOut(origin, call.timeout ?? 0);
      }
      if (entered !== "open") return { ...entered, uncertain, isLimited: false, attempts: attempt };
      attempt++;
      if (isWrite) hasWritten = true;
      const started = now().getTime();
      if (attempt === 1) begun = started;
      // An answer over a limit is neither decoded nor parsed: its text and its values would need as much memory again. The
      // answer to a write is not refused, because the write is done.
      const requireMemory = (memory: number) => {
        if (isWrite) return;
        if (!call.isStreamed) lists.check(sending.path, costOf(memory));
        contents.spend(sending.path, memory);
      };
      const reading = { milliseconds: Math.max(1, left), signal: call.signal, hide, requireMemory };
      const exchanged = exchange(fetch, request, reading).catch(asNoAnswer);
      const result = await (interruptible && !isWrite && !isReadBack ? interruptible(exchanged) : exchanged);
      const ended = now();
      const milliseconds = ended.getTime() - started;
      left -= milliseconds;
      const outcome = outcomeOf(result, ended);
      onAttempt?.({
        operation,
        method: sending.method,
        path: sending.path,
        attempt,
        outcome: result instanceof NoAnswer ? result.code : result.status,
        milliseconds,
        ...(result instanceof NoAnswer
          ? { requestId: result.requestId, headers: result.headers }
          : factsOf(result.headers)),
      });
      if (!(result instanceof NoAnswer)) announce(result);

      const retryAfter = outcome.kind === "answered" ? outcome.retryAfter : undefined;
      last = { result, retryAt: retryAfter };
      if (call.signal?.aborted && result instanceof NoAnswer && !isWrite)
        throw call.signal.reason instanceof NoAnswer ? result : call.signal.reason;
      const isLast = maxRetries !== undefined && attempt > maxRetries;
      if (!(result instanceof NoAnswer) && result.status === 429) {
        const isLimited = gate.refuse(kind, { answer: result, retryAt: retryAfter }, waiting);
        if (isLimited && !isLast && mayResend(repeatability, outcome)) continue;
        return finished(result, retryAfter, isLimited && !isLast);
      }
      if (!(result instanceof NoAnswer) && result.status < 500) gate.accept(kind);
      failures++;
      const asked = retryAfter && retryAfter.getTime() - ended.getTime();
      const wait = asked ?? backoff(failures, random);
      const isAccepted = asked === undefined ? left > wait : left > 0 && waited + asked <= MAX_RETRY_AFTER;
      const isInTime = isAccepted && ended.getTime() + wait < expires;
      const mayRepeat = isTemporary(result) && mayResend(repeatability, outcome) && isInTime;
      const isAllowed = maxRetries === undefined ? failures < MAX_ATTEMPTS : !isLast;
      const isRepeated = mayRepeat && isAllowed && budget.spend();
      if (isRepeated) await sleep(wait, joined([ending, call.signal]));
      const isOpen = isReadBack || (isWrite && (uncertain || mayBeDoneAfter(outcome)));
      if (!isRepeated || (isOpen && (ending?.aborted || call.signal?.aborted)))
        return finished(result, retryAfter, false);
      uncertain ||= mayBeDoneAfter(outcome);
      if (asked === undefined) left -= wait;
      else waited += asked;
    }

    function costOf(memory: number) {
      return { bytes: memory + PAGE_BYTES, milliseconds: now().getTime() - begun };
    }

    function finished(result: ReceivedAnswer | NoAnswer, retryAt: Date | undefined, isLimited: boolean): Sent {
      if (result instanceof NoAnswer) throw uncertain ? result.withSent(true) : result;
      if (result.status < 400) budget.refund();
      if (!isWrite && !call.isStreamed) lists.spend(sending.path, costOf(result.memory));
      return { answer: result, uncertain, retryAt, isLimited, attempts: attempt };
    }
  };
}

function requestOf({ baseUrl, token, headers }: TransportOptions, sending: Sending): Request {
  const { method, path, body, idempotencyKey, call } = sending;
  return {
    method,
    url: `${baseUrl}${path}`,
    headers: {
      accept: "application/json",
      // `identity` forbids compression, because a compressed answer could be a decompression bomb.
      "accept-encoding": "identity",
      authorization: `Bearer ${token.reveal()}`,
      "user-agent": "formctl",
      ...headers,
      ...call?.headers,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/**
 * Returns a function that awaits a promise until the signal aborts. `Promise.race` with one promise for all requests
 * would keep each answer in memory until the end of the command. The requests share a listener, because Node 20 warns
 * about more than ten listeners.
 */
function untilAborted(signal: AbortSignal): <T>(promise: Promise<T>) => Promise<T> {
  const pending = new Set<(reason: Error) => void>();
  const abort = () => {
    for (const reject of pending) reject(signal.reason as Error);
  };
  signal.addEventListener("abort", abort, { once: true });
  return (promise) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      pending.add(reject);
      void promise.then(resolve, reject).finally(() => pending.delete(reject));
    });
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
