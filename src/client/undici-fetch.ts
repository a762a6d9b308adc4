/** The real fetch: undici's `request`, with an agent of the same undici. Loaded with the first request. Its home. */

import type * as Undici from "undici";
import type { Dispatcher } from "undici";
import { isLoopback } from "../schemas/base-url.ts";
import type { Fetch } from "./fetch.ts";
import { NoAnswer } from "./no-answer.ts";

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export type UndiciFetch = { fetch: Fetch; close: () => Promise<void> };

/**
 * A fetch for one origin and no other: the token that goes with its requests belongs there.
 *
 * @param env the proxy variables are read from it
 */
export function undiciFetch(origin: string, env: Readonly<Record<string, string | undefined>>): UndiciFetch {
  let opened: Promise<{ request: typeof Undici.request; dispatcher: Dispatcher }> | undefined;
  const open = async () => {
    const undici = await import("undici");
    return { request: undici.request, dispatcher: dispatcherFor(undici, origin, env) };
  };
  return {
    async fetch(url, { method, headers, body, signal }) {
      requireSafe(url, origin, env);
      const { request, dispatcher } = await (opened ??= open());
      const answer = await request(url, {
        method: method,
        headers,
        body: body ?? null,
        signal,
        dispatcher,
      });
      return {
        status: answer.statusCode,
        headers: {
          get(name) {
            const value = answer.headers[name];
            return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
          },
        },
        body: answer.body,
      };
    },
    close: async () => (await opened?.catch(() => undefined))?.dispatcher.destroy(),
  };
}

/** A proxy sees what goes to this machine over http, so that such requests never take one. */
function dispatcherFor(
  undici: typeof Undici,
  origin: string,
  env: Readonly<Record<string, string | undefined>>,
): Dispatcher {
  // The deadline of the whole call ends a slow answer; undici's own limits are for each piece of it.
  const options = { maxResponseSize: MAX_ANSWER_BYTES, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
  const httpsProxy = env["https_proxy"] ?? env["HTTPS_PROXY"];
  const { protocol, hostname } = new URL(origin);
  if (!httpsProxy || protocol === "http:" || isLoopback(hostname)) return new undici.Agent(options);
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return new undici.EnvHttpProxyAgent({ ...options, httpsProxy, noProxy });
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
    throw new NoAnswer("TLS_REFUSED", "NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody pretend to be the server", {
      ...unsent,
      hint: "Unset it. For an authority of your own: NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
    });
  }
}
