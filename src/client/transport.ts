/** Sends requests until they are answered, as often and as long as it is safe to. */

import type { Secret } from "../schemas/secret.ts";
import { type Answer, exchange, type Request } from "./exchange.ts";
import type { Fetch } from "./fetch.ts";
import { listBudget, type ListLimits } from "./list-budget.ts";
import { NoAnswer } from "./no-answer.ts";
import {
  backoff,
  MAX_ATTEMPTS,
  MAX_RETRY_AFTER,
  mayHaveHappened,
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
  /** The status of the answer, or why there is none. */
  outcome: number | string;
  milliseconds: number;
};

export type TransportOptions = {
  /** With a path perhaps, without a slash at its end. */
  baseUrl: string;
  token: Secret;
  fetch: Fetch;
  /** How long a call may take in all, in milliseconds; what a server asks to wait is not counted. */
  deadline: number;
  now: () => Date;
  /** Ends sooner where `ending` does. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /**
   * Aborted when the person wants it to end. What has not been sent then is not sent, and the signal's reason is thrown; a
   * write that is under way is waited for, and what became of it may still be read.
   */
  ending?: AbortSignal | undefined;
  /** From 0 to 1. */
  random: () => number;
  /** What the pages of one list may cost together. */
  listLimits?: ListLimits | undefined;
  /** Told of each attempt. It holds no header and no body, so nothing in it is secret. */
  onAttempt?: (attempt: Attempt) => void;
  /** Told once of everything that the server announces: `deprecation`, `sunset`. */
  onNotice?: (notice: string) => void;
};

export type Sending = {
  method: string;
  /** Path and query. */
  path: string;
  body?: unknown;
  /** By this a server may know a write again that it gets twice. */
  idempotencyKey?: string;
  repeatability: Repeatability;
};

export type Sent = {
  answer: Answer;
  /** An earlier attempt of the same may have been carried out too. */
  uncertain: boolean;
  /** When the server wants to be asked again: longer than anybody waits here. */
  retryAt: Date | undefined;
};

export type Transport = (sending: Sending) => Promise<Sent>;

export function createTransport(options: TransportOptions): Transport {
  const { fetch, deadline, now, sleep, random, onAttempt, ending } = options;
  const budget = retryBudget();
  const lists = listBudget(new URL(options.baseUrl).origin, options.listLimits);
  const announce = announcements(options.onNotice);
  const interrupted = ending && rejection(ending);
  let hasWritten = false;
  return async (sending) => {
    const request = requestOf(options, sending);
    const isWrite = sending.repeatability !== "read";
    const isWanted = !isWrite && hasWritten;
    const begun = now().getTime();
    let left = deadline;
    let waited = 0;
    let uncertain = false;
    for (let attempt = 1; ; attempt++) {
      if (!isWanted) ending?.throwIfAborted();
      if (isWrite) hasWritten = true;
      const started = now().getTime();
      const exchanged = exchange(fetch, request, Math.max(1, left)).catch(asNoAnswer);
      const result = await (interrupted && !isWrite && !isWanted ? Promise.race([exchanged, interrupted]) : exchanged);
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
      const isOpen = isWanted || (isWrite && (uncertain || mayHaveHappened(outcome)));
      if (!isRepeated || (isOpen && ending?.aborted)) {
        if (result instanceof NoAnswer) throw uncertain ? result.asSent() : result;
        if (result.status < 400) budget.refund();
        if (!isWrite) lists.spend(sending.path, { bytes: result.bytes, milliseconds: ended.getTime() - begun });
        return { answer: result, uncertain, retryAt: retryAfter };
      }
      uncertain ||= mayHaveHappened(outcome);
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
      // What is not compressed can't be a bomb.
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
  // Nobody may be waiting for it.
  rejected.catch(() => undefined);
  return rejected;
}

function asNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}

/** Whether the same may end otherwise in a moment. */
function isTemporary(result: Answer | NoAnswer): boolean {
  return !(result instanceof NoAnswer) || result.code === "UNREACHABLE" || result.code === "ANSWER_CUT";
}

function outcomeOf(result: Answer | NoAnswer, now: Date): Outcome {
  if (result instanceof NoAnswer) return { kind: result.sent ? "cut" : "unsent" };
  const clock = Date.parse(result.headers.get("date") ?? "");
  const serverTime = Number.isNaN(clock) ? now : new Date(clock);
  // What a server says with another status is no reason to wait.
  const retryAfter = result.status < 400 ? null : result.headers.get("retry-after");
  return { kind: "answered", status: result.status, retryAfter: parseRetryAfter(retryAfter, now, serverTime) };
}

/** RFC 9745 and RFC 8594: what will go away, told once. */
function announcements(onNotice: TransportOptions["onNotice"]): (answer: Answer) => void {
  const told = new Set<string>();
  return ({ headers }) => {
    for (const name of ["deprecation", "sunset"]) {
      const value = headers.get(name);
      if (value === null || told.has(name)) continue;
      told.add(name);
      onNotice?.(`The server announces ${name}: ${value}`);
    }
  };
}
