/** One attempt: a request, and its answer read to the end, or the reason why there is none. */

import type { Fetch, FetchAnswer } from "./fetch.ts";
import { type TokenHider, tokenHider } from "./hide-token.ts";
import { isTooDeep, MAX_NESTING } from "./nesting.ts";
import { networkFailure, timedOut, tooLarge } from "./network-error.ts";
import { NoAnswer } from "./no-answer.ts";

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export type AnswerBody =
  | { kind: "json"; value: unknown }
  /** `certain`: the server said that there is nothing. Otherwise the rest may have been cut off. */
  | { kind: "empty"; certain: boolean }
  | { kind: "text"; text: string }
  /** JSON that is nested too deep to be read. */
  | { kind: "deep" };

export type Answer = { status: number; headers: FetchAnswer["headers"]; body: AnswerBody };

/** `bytes`: the size of its body. */
export type ReceivedAnswer = Answer & { bytes: number };

export type Request = { method: string; url: string; headers: Record<string, string>; body?: string };

/** @throws NoAnswer when there is no whole answer within `milliseconds`, or it leads elsewhere */
export async function exchange(fetch: Fetch, request: Request, milliseconds: number): Promise<ReceivedAnswer> {
  const { url, ...rest } = request;
  const { origin } = new URL(url);
  const signal = AbortSignal.timeout(Math.ceil(milliseconds));
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(timedOut(origin, milliseconds)), { once: true });
  });
  // The race below may be over before the time is: then nobody waits for this any more.
  late.catch(() => undefined);
  try {
    const hide = tokenHider((request.headers["authorization"] ?? "").replace(/^Bearer /, ""));
    const received = await Promise.race([fetch(url, { ...rest, signal, redirect: "manual" }), late]);
    const headers = {
      get(name: string) {
        const value = received.headers.get(name);
        return value && hide.text(value);
      },
    };
    const answer = { ...received, headers };
    if (answer.status >= 300 && answer.status < 400) throw redirected(url, answer, hide);
    if (answer.status < 400) requirePlain(answer, origin);
    const bytes = await readBody(answer, origin, late);
    const body = bodyOf(answer, bytes, hide);
    if (body.kind === "deep" && answer.status < 400) {
      const message = `${origin} answers with JSON that is nested more than ${MAX_NESTING} levels deep`;
      throw new NoAnswer("ANSWER_UNREADABLE", message, { sent: true });
    }
    if (isCutShort(request, answer, body)) {
      throw new NoAnswer("ANSWER_CUT", `no whole answer from ${origin}: it ends in the middle`, { sent: true });
    }
    return { status: answer.status, headers, body, bytes: bytes.byteLength };
  } catch (error) {
    if (signal.aborted) throw timedOut(origin, milliseconds);
    throw networkFailure(error, origin);
  }
}

/** Following it could carry the token to somebody else, or turn a write into a read. */
function redirected(url: string, { status, headers }: FetchAnswer, hide: TokenHider): NoAnswer {
  const { origin } = new URL(url);
  const location = headers.get("location");
  // A URL normalizes its host.
  const target = hide.text((location !== null && URL.parse(location, url)?.origin) || "nowhere");
  return new NoAnswer("REDIRECTED", `${origin} redirects to ${target} (${status}); nothing was sent there`, {
    sent: true,
    hint: "If that is the right place, name it in the profile: formctl profiles add NAME --base-url URL",
  });
}

/** A proxy may compress though it was asked not to: what can't be read then is not cut, and comes no better again. */
function requirePlain({ headers }: FetchAnswer, origin: string): void {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (/^(identity)?$/i.test(encoding.trim())) return;
  const message = `${origin} answers with the content-encoding ${encoding}, though it was asked not to`;
  throw new NoAnswer("ANSWER_UNREADABLE", message, {
    sent: true,
    hint: "Is there a proxy in between that compresses answers?",
  });
}

/** A 4xx whose body breaks off is a refusal all the same: what is missing is only its reason. */
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
      if (size > MAX_ANSWER_BYTES) throw tooLarge(origin);
      chunks.push(value);
    }
  } catch (error) {
    void iterator.return?.()?.catch(() => undefined);
    const isRefusal =
      answer.status >= 400 && answer.status < 500 && networkFailure(error, origin).code === "ANSWER_CUT";
    if (!isRefusal) throw error;
  }
  return Buffer.concat(chunks);
}

/** An answer without a length ends where the connection ends: a 2xx that should be JSON and is not has been cut. */
function isCutShort({ method }: Request, { status, headers }: FetchAnswer, body: AnswerBody): boolean {
  if (status >= 300) return false;
  if (body.kind === "empty") return method === "GET" && !body.certain;
  return body.kind === "text" && /json/i.test(headers.get("content-type") ?? "");
}

function bodyOf({ status, headers }: FetchAnswer, bytes: Buffer, hide: TokenHider): AnswerBody {
  if (bytes.byteLength === 0) {
    const isSaid = headers.get("content-length") === "0" || headers.get("transfer-encoding") !== null;
    return { kind: "empty", certain: status === 204 || isSaid };
  }
  const text = bytes.toString("utf8");
  if (isTooDeep(text)) return { kind: "deep" };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { kind: "text", text: hide.text(text) };
  }
  return { kind: "json", value: hide.json(value, text) };
}

/** The beginning of a text that is not JSON, as one line for a message. Hidden characters are escaped where it is shown. */
export function excerpt(text: string): string {
  return text.slice(0, 4000).replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
}

/** `not the API: content-type text/html: <html>…` */
export function notTheApi(headers: FetchAnswer["headers"], text: string): string {
  return `not the API: content-type ${headers.get("content-type") ?? "not told"}: ${excerpt(text)}`;
}
