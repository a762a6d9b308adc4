/**
 * The real fetch: undici's `request`, with an agent of the same undici. Its home. Only the parts that are needed are
 * loaded, with the first request: the whole of undici would take twice as long (`npm run bench:startup`).
 */

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
  const open = async () => {
    const [{ default: request }, dispatcher] = await Promise.all([
      import("undici/lib/api/api-request.js"),
      openDispatcher(origin, env),
    ]);
    return { request, dispatcher };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    async fetch(url, { method, headers, body, signal }) {
      requireSafe(url, origin, env);
      const { request, dispatcher } = await (opened ??= open());
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      const answer = await request.call(dispatcher, { origin, path, method, headers, body: body ?? null, signal });
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
async function openDispatcher(origin: string, env: Readonly<Record<string, string | undefined>>): Promise<Dispatcher> {
  // The deadline of the whole call ends a slow answer; undici's own limits are for each piece of it.
  const options = { maxResponseSize: MAX_ANSWER_BYTES, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 };
  const httpsProxy = env["https_proxy"] ?? env["HTTPS_PROXY"];
  const { protocol, hostname } = new URL(origin);
  if (!httpsProxy || protocol === "http:" || isLoopback(hostname)) {
    const { default: Agent } = await import("undici/lib/dispatcher/agent.js");
    return new Agent(options);
  }
  const { default: EnvHttpProxyAgent } = await import("undici/lib/dispatcher/env-http-proxy-agent.js");
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return new EnvHttpProxyAgent({ ...options, httpsProxy, noProxy });
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
