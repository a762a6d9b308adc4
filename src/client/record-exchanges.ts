/** Records exchanges as a HAR file (HTTP Archive 1.2), which the developer tools of browsers read. */

import { STATUS_CODES } from "node:http";
import type { Secret } from "../base/secret.ts";
import type { Fetch, FetchAnswer, FetchRequest } from "./fetch.ts";
import { networkFailure } from "./no-answer.ts";
import type { Redactor } from "./redact-exchange.ts";

export type Recording = {
  /** Returns a fetch that records each attempt. @param token the token of the requests, which is redacted */
  record: (fetch: Fetch, token: Secret) => Fetch;
  /** The number of recorded exchanges. */
  readonly size: number;
  /** Returns the content of the file. An exchange that has not ended has the status 0, or an incomplete body. */
  text(): string;
};

export const MAX_ENTRIES = 10_000;
/** A larger body is omitted. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** When the bodies of a recording are larger, further bodies are omitted. */
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** @param version the version of the program */
export function recordExchanges(version: string, redactor: Redactor, now: () => Date): Recording {
  const entries: Exchange[] = [];
  let omitted = 0;
  let bytes = 0;
  /** Whether a body with this many bytes is kept, after `before` bytes of the same body. */
  const reserve = (more: number, before = 0) => {
    if (before + more > MAX_BODY_BYTES || bytes + more > MAX_TOTAL_BYTES) return false;
    bytes += more;
    return true;
  };
  return {
    record(fetch, token) {
      redactor.addToken(token.reveal());
      return async (url, request) => {
        if (entries.length >= MAX_ENTRIES) {
          omitted++;
          return fetch(url, request);
        }
        const exchange = new Exchange(url, request, { now, reserve });
        entries.push(exchange);
        try {
          return exchange.answered(await fetch(url, request));
        } catch (error) {
          exchange.failed(error);
          throw error;
        }
      };
    },
    get size() {
      return entries.length;
    },
    text() {
      for (const entry of entries) redactor.learn(entry.toHar());
      const creator = { name: "formctl", version };
      const comment = omitted > 0 ? { comment: `${omitted} later exchanges are not recorded` } : {};
      const { log } = redactor.redact({ log: { version: "1.2", creator, ...comment } });
      const lines = entries.map((entry) => JSON.stringify(redactor.redact(entry.toHar())));
      // A line for each entry. A single call for all of them would need as much memory again.
      return `{"log":${JSON.stringify(log).slice(0, -1)},"entries":[\n${lines.join(",\n")}\n]}}\n`;
    },
  };
}

type Limits = { now: () => Date; reserve: (more: number, before?: number) => boolean };

/** One attempt of a request, as it was sent and received. */
class Exchange {
  readonly #url: string;
  readonly #request: FetchRequest;
  readonly #requestBody: string | undefined;
  readonly #limits: Limits;
  readonly #start = performance.now();
  readonly #startedAt: string;
  #answer: FetchAnswer | undefined;
  #answeredAt: number | undefined;
  #endedAt: number | undefined;
  /** The parts of the body. Undefined if the body is omitted. */
  #chunks: Uint8Array[] | undefined = [];
  #size = 0;
  #error: string | undefined = "no answer before the command ended";

  constructor(url: string, request: FetchRequest, limits: Limits) {
    this.#url = url;
    this.#request = request;
    this.#limits = limits;
    this.#startedAt = limits.now().toISOString();
    const { body } = request;
    this.#requestBody = body !== undefined && limits.reserve(Buffer.byteLength(body)) ? body : undefined;
  }

  /** Returns the answer with a body that is recorded while it is read. */
  answered(answer: FetchAnswer): FetchAnswer {
    this.#answer = answer;
    this.#answeredAt = performance.now();
    this.#error = answer.body ? "the body was not read to its end" : undefined;
    return { ...answer, body: answer.body && this.#recorded(answer.body) };
  }

  failed(error: unknown): void {
    this.#endedAt = performance.now();
    const isTimeout = this.#request.signal.aborted;
    this.#error = isTimeout
      ? "no answer within the time limit"
      : networkFailure(error, new URL(this.#url).origin).message;
  }

  async *#recorded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        if (this.#chunks && this.#limits.reserve(chunk.byteLength, this.#size)) this.#chunks.push(chunk);
        else if (this.#chunks) {
          // The parts so far are omitted too, and leave their space to other bodies.
          this.#limits.reserve(-this.#size);
          this.#chunks = undefined;
        }
        this.#size += chunk.byteLength;
        yield chunk;
      }
      this.#error = undefined;
    } catch (error) {
      this.failed(error);
      throw error;
    } finally {
      this.#endedAt ??= performance.now();
    }
  }

  /** Returns the entry, which is not redacted. */
  toHar() {
    const { method, headers, body } = this.#request;
    const answer = this.#answer;
    const end = this.#endedAt ?? performance.now();
    const answeredAt = this.#answeredAt ?? end;
    const timings = { send: 0, wait: rounded(answeredAt - this.#start), receive: rounded(end - answeredAt) };
    const mimeType = answer?.headers.get("content-type") ?? "";
    return {
      startedDateTime: this.#startedAt,
      time: rounded(timings.wait + timings.receive),
      request: {
        method,
        url: this.#url,
        httpVersion: "HTTP/1.1",
        // Cookies are credentials, also their names.
        cookies: [],
        headers: headerList(headers),
        queryString: [...new URL(this.#url).searchParams].map(([name, value]) => ({ name, value })),
        ...(body !== undefined && {
          postData: { mimeType: headers["content-type"] ?? "", ...textOrComment(this.#requestBody) },
        }),
        headersSize: -1,
        bodySize: body === undefined ? 0 : Buffer.byteLength(body),
      },
      response: {
        status: answer?.status ?? 0,
        statusText: STATUS_CODES[answer?.status ?? 0] ?? "",
        httpVersion: answer ? "HTTP/1.1" : "",
        cookies: [],
        headers: headerList(answer?.allHeaders ?? {}),
        content: {
          size: this.#size,
          mimeType,
          ...(this.#size > 0 && textOrComment(this.#chunks && Buffer.concat(this.#chunks).toString("utf8"))),
        },
        redirectURL: answer?.headers.get("location") ?? "",
        headersSize: -1,
        bodySize: answer ? this.#size : -1,
      },
      cache: {},
      timings,
      ...(this.#error !== undefined && { _error: this.#error }),
    };
  }
}

function textOrComment(text: string | undefined): { text: string } | { comment: string } {
  return text === undefined ? { comment: "omitted, because it is too large" } : { text };
}

function headerList(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.entries(headers).flatMap(([name, values = []]) => [values].flat().map((value) => ({ name, value })));
}

const rounded = (milliseconds: number) => Math.round(Math.max(0, milliseconds) * 1000) / 1000;
