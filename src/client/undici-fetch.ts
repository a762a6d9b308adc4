/** Implements `Fetch` with an agent of undici. The agent is loaded for the first request. */

import type { Dispatcher } from "undici";
import { isLoopback } from "../schemas/base-url.ts";
import type { Fetch } from "./fetch.ts";
import { MAX_JSON_BYTES } from "../schemas/json-limits.ts";
import { NoAnswer } from "./no-answer.ts";

export type UndiciFetch = { fetch: Fetch; close: () => Promise<void> };

/**
 * Creates a fetch for one origin. Requests contain the token of this origin, so requests to other origins are refused.
 *
 * @param env the environment, for the proxy variables
 */
export function undiciFetch(origin: string, env: Readonly<Record<string, string | undefined>>): UndiciFetch {
  let opened: Promise<Dispatcher> | undefined;
  return {
    async fetch(url, { method, headers, body, signal }) {
      requireSafe(url, origin, env);
      const dispatcher = await (opened ??= openDispatcher(origin, env));
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      const answer = await dispatcher.request({
        origin,
        path,
        method,
        headers,
        body: body ?? null,
        signal,
      });
      return {
        status: answer.statusCode,
        headers: {
          get(name) {
            const value = answer.headers[name];
            return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
          },
        },
        allHeaders: answer.headers,
        body: answer.body,
      };
    },
    close: async () => (await opened?.catch(() => undefined))?.destroy(),
  };
}

/**
 * Creates the agent. It uses the proxy of `env`, except for requests to this machine. Requests to other machines use
 * https (`requireSafe`), so the proxy can't read the token.
 */
async function openDispatcher(origin: string, env: Readonly<Record<string, string | undefined>>): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import("undici");
  // The value 0 turns off undici's own time limits, which apply to each part of a response. The deadline of the call
  // limits the time.
  const options = { maxResponseSize: MAX_JSON_BYTES, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
  const httpsProxy = env["https_proxy"] ?? env["HTTPS_PROXY"];
  const { protocol, hostname } = new URL(origin);
  if (!httpsProxy || protocol === "http:" || isLoopback(hostname)) return new Agent(options);
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return new EnvHttpProxyAgent({ ...options, httpsProxy, noProxy });
}

/** The standard `fetch`, or a function with the same parameters and result. */
export type StandardFetch = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: "manual" },
) => Promise<{
  readonly status: number;
  readonly headers: Iterable<[string, string]> & { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

/** Sends the requests of a client to one origin by a function of the user. */
export function ownFetch(origin: string, fetch: StandardFetch): Fetch {
  return async (url, request) => {
    requireSafe(url, origin, {});
    const { status, headers, body } = await fetch(url, request);
    return { status, headers, allHeaders: Object.fromEntries(headers), body };
  };
}

function requireSafe(url: string, origin: string, env: Readonly<Record<string, string | undefined>>): void {
  const target = new URL(url);
  const unsent = { sent: false };
  if (target.origin !== origin) {
    throw new NoAnswer("UNREACHABLE", `the token belongs to ${origin} and is not sent to ${target.origin}`, unsent);
  }
  if (target.protocol === "http:" && !isLoopback(target.hostname)) {
    throw new NoAnswer("UNREACHABLE", `${origin} is not encrypted: no token is sent there`, unsent);
  }
  if (target.protocol === "https:" && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    throw new NoAnswer("TLS_REFUSED", "NODE_TLS_REJECT_UNAUTHORIZED=0 disables TLS verification", {
      ...unsent,
      hint: "Unset it. To trust another certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.",
    });
  }
}
