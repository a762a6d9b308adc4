/** Sends a request once and reads the whole answer. */

import { MAX_JSON_BYTES, measureJson } from "../schemas/json-limits.ts";
import { addFacts, type RequestFacts } from "../base/error.ts";
import type { Fetch, FetchAnswer } from "./fetch.ts";
import type { TokenHider } from "./hide-token.ts";
import { LONGEST_TIMER } from "./call-limits.ts";
import { aborted, NoAnswer, networkFailure, timedOut, tooLarge } from "./no-answer.ts";

export type AnswerBody =
  | { kind: "json"; value: unknown }
  /** `certain` is true if the status or the headers promise an empty body. Otherwise the body may be cut off. */
  | { kind: "empty"; certain: boolean }
  | { kind: "text"; text: string }
  /** JSON that exceeds a limit (schemas/json-limits.ts). It is not parsed. `exceeded`: `more than 256 levels` */
  | { kind: "excessive"; exceeded: string };

/** The headers of an answer. The token of the request is hidden in them. */
export type AnswerHeaders = {
  get(name: string): string | null;
  /** Every header by its lower-case name, without `set-cookie`. */
  all: Readonly<Record<string, string>>;
};

export type Answer = { status: number; headers: AnswerHeaders; body: AnswerBody };

/** An answer with the estimated memory of its body, in bytes. */
export type ReceivedAnswer = Answer & { memory: number };

export type Request = { method: string; url: string; headers: Record<string, string>; body?: string };

type Reading = { hide: TokenHider; requireMemory?: (memory: number) => void };

/**
 * Sends a request, and reads its answer to the end.
 *
 * @param options.hide replaces the token of the request in the answer
 * @param options.requireMemory called for a successful answer with its memory in bytes: with the least memory before it
 *   is decoded, and with the estimate before it is parsed. Throws to refuse the answer
 * @param options.signal cancels the request
 * @throws NoAnswer if the server redirects, or sends no usable answer within `milliseconds`, or `options.signal` is
 *   aborted
 * @throws what `requireMemory` throws
 */
export async function exchange(
  fetch: Fetch,
  request: Request,
  { milliseconds, signal: outer, ...reading }: { milliseconds: number; signal?: AbortSignal | undefined } & Reading,
): Promise<ReceivedAnswer> {
  const { hide } = reading;
  const { url, ...rest } = request;
  const { origin } = new URL(url);
  const limit = new AbortController();
  const { signal } = limit;
  /** The reason why the exchange ended before its answer. */
  let end: NoAnswer | undefined;
  let received: AnswerHeaders | undefined;
  const { promise: late, reject } = Promise.withResolvers<never>();
  // If `fetch` throws at once, `late` is never awaited. This handler prevents an unhandled rejection at the time limit.
  late.catch(() => undefined);
  const cancel = (reason: NoAnswer) => {
    end ??= reason;
    reject(end);
    limit.abort();
  };
  // `AbortSignal.timeout` can't be cancelled. It would create an error at the time limit, long after the answer.
  const timer = setTimeout(
    () => cancel(timedOut(origin, milliseconds).withSent(true)),
    Math.min(Math.ceil(milliseconds), LONGEST_TIMER),
  );
  timer.unref();
  const abort = () => cancel(aborted(origin, outer?.reason));
  outer?.addEventListener("abort", abort, { once: true });
  try {
    const response = await Promise.race([fetch(url, { ...rest, signal, redirect: "manual" }), late]);
    const headers = hiddenHeaders(response, hide);
    const answer = { ...response, headers };
    received = headers;
    if (answer.status >= 300 && answer.status < 400) throw redirected(url, answer, hide);
    if (answer.status < 400) requirePlain(answer, origin);
    const bytes = await readBody(answer, origin, late);
    // undici frees the connection only in the next turn of the event loop. Without this wait, the next request of the
    // caller would open another connection.
    await new Promise(setImmediate);
    const { body, memory } = bodyOf(answer, bytes, reading);
    if (body.kind === "excessive" && answer.status < 400) {
      const message = `${origin} answers with JSON that has ${body.exceeded}`;
      throw new NoAnswer("ANSWER_UNREADABLE", message, { sent: true });
    }
    if (isCutShort(request, answer, body)) {
      throw new NoAnswer("ANSWER_CUT", `incomplete answer from ${origin}: the body is cut off`, { sent: true });
    }
    return { status: answer.status, headers, body, memory };
  } catch (error) {
    if (end) throw addFacts(end, received ? factsOf(received) : {});
    // An answer is sometimes refused before its body is read, such as a redirect. The server may still be sending the
    // body.
    limit.abort();
    throw addFacts(networkFailure(error, origin), received ? factsOf(received) : {});
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  }
}

function hiddenHeaders({ headers, allHeaders = {} }: FetchAnswer, hide: TokenHider): AnswerHeaders {
  return {
    get all() {
      const all: Record<string, string> = {};
      for (const [name, value] of Object.entries(allHeaders)) {
        if (value === undefined || name.toLowerCase() === "set-cookie") continue;
        all[name.toLowerCase()] = hide.text(Array.isArray(value) ? value.join(", ") : value);
      }
      return all;
    },
    get(name) {
      const value = headers.get(name);
      return value && hide.text(value);
    },
  };
}

/** Returns the id that the server gave the request, and its headers. Ignores an id that no server log would contain. */
export function factsOf(headers: AnswerHeaders): Pick<RequestFacts, "requestId" | "headers"> {
  const id = headers.get("x-request-id");
  const requestId = id !== null && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
  return { requestId, headers: headers.all };
}

/**
 * Returns the error for a redirect. A followed redirect could send the token to another server, or turn a write into a
 * read.
 */
function redirected(url: string, { status, headers }: FetchAnswer, hide: TokenHider): NoAnswer {
  const { origin } = new URL(url);
  const location = headers.get("location");
  // `headers` hides the token. Parsing normalizes the host, which may reveal a token that is escaped in `location`. The
  // token is therefore hidden again.
  const target = hide.text((location !== null && URL.parse(location, url)?.origin) || "nowhere");
  return new NoAnswer("REDIRECTED", `${origin} redirects to ${target} (${status}), which is not followed`, {
    sent: true,
    hint: "If that is the right server, add a profile for it: formctl profiles add NAME --base-url URL",
  });
}

/**
 * Refuses a compressed answer. The request forbids compression, so a proxy has probably compressed the answer. A retry
 * would not help.
 */
function requirePlain({ headers }: FetchAnswer, origin: string): void {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (/^(identity)?$/i.test(encoding.trim())) return;
  const message = `${origin} answers with content-encoding ${encoding}, which was not accepted`;
  throw new NoAnswer("ANSWER_UNREADABLE", message, {
    sent: true,
    hint: "Check for a proxy that compresses answers.",
  });
}

/**
 * Reads the body. If the body of a 4xx is cut off, returns the received part. The server has refused the request in any
 * case.
 */
async function readBody(answer: FetchAnswer, origin: string, late: Promise<never>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (!answer.body) return Buffer.alloc(0);
  const iterator = answer.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), late]);
      if (done) break;
      size += value.byteLength;
      if (size > MAX_JSON_BYTES) throw tooLarge(origin);
      chunks.push(value);
    }
  } catch (error) {
    void iterator.return?.()?.catch(() => undefined);
    const isRefusal =
      answer.status >= 400 && answer.status < 500 && networkFailure(error, origin).code === "ANSWER_CUT";
    if (!isRefusal) throw error;
  }
  const [first] = chunks;
  // Most answers arrive in one part, which needs no copy.
  return first && chunks.length === 1
    ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
    : Buffer.concat(chunks);
}

/**
 * Whether the body of a successful answer is cut off. A body without a length ends when the connection closes. A lost
 * connection then shows only as an empty body or invalid JSON.
 */
function isCutShort({ method }: Request, { status, headers }: FetchAnswer, body: AnswerBody): boolean {
  if (status >= 300) return false;
  if (body.kind === "empty") return method === "GET" && !body.certain;
  return body.kind === "text" && /json/i.test(headers.get("content-type") ?? "");
}

/** The least memory of a text for each byte of UTF-8. V8 stores two bytes for a character that has three in UTF-8. */
const LEAST_MEMORY = 2 / 3;

function bodyOf(
  { status, headers }: FetchAnswer,
  bytes: Buffer,
  { hide, requireMemory }: Reading,
): { body: AnswerBody; memory: number } {
  if (bytes.byteLength === 0) {
    const isStated = headers.get("content-length") === "0" || headers.get("transfer-encoding") !== null;
    return { body: { kind: "empty", certain: status === 204 || isStated }, memory: 0 };
  }
  if (status < 400) requireMemory?.(bytes.byteLength * LEAST_MEMORY);
  const text = bytes.toString("utf8");
  const { exceeded, memory } = measureJson(text);
  if (exceeded !== undefined) return { body: { kind: "excessive", exceeded }, memory };
  if (status < 400) requireMemory?.(memory);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { body: { kind: "text", text: hide.text(text) }, memory };
  }
  return { body: { kind: "json", value: hide.json(value, text) }, memory };
}

/** Returns the start of a text as one line, for messages. Control characters stay: the terminal output escapes them. */
function excerpt(text: string): string {
  return text.slice(0, 4000).replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
}

/** Returns a text such as `not the API: content-type text/html: <html>…`. */
export function notTheApi(headers: FetchAnswer["headers"], text: string): string {
  return `not the API: content-type ${headers.get("content-type") ?? "missing"}: ${excerpt(text)}`;
}
