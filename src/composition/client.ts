/** Creates the client of the library. */

import { FormctlError } from "../base/error.ts";
import { clientHeaders } from "../client/client-headers.ts";
import { httpClient } from "../client/http-service.ts";
import { NoAnswer } from "../client/no-answer.ts";
import { createRateGate } from "../client/rate-gate.ts";
import type { Attempt } from "../client/transport.ts";
import { ownFetch, type StandardFetch, undiciFetch } from "../client/undici-fetch.ts";
import { joined, requireLimits } from "../client/call-limits.ts";
import { parseRequestRate } from "../config/request-rate.ts";
import { parseToken } from "../config/token.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import type { OperationName } from "../schemas/operations.ts";
import { isRequestPath, METHODS } from "../schemas/wire.ts";
import { type CallOptions, mapCalls, type RawAnswer, type RawRequest, withOperation } from "../service.ts";
import type { ServerClient } from "../state/target.ts";
import { sleep } from "./system-process.ts";
import { VERSION } from "./version.ts";

/** The options of a client. `signal`, `maxRetries` and `headers` apply to each call. */
export type ClientOptions = Pick<CallOptions, "signal" | "maxRetries" | "headers"> & {
  /** An https URL, or an http URL of this machine. */
  baseUrl: string;
  token: string;
  /**
   * The time limit of each call in milliseconds: all its requests and waits. By default, the requests of a call may take
   * 30 seconds, and the waits that the server requests another minute.
   */
  timeout?: number | undefined;
  /**
   * Sends the requests. Use it for a proxy, client certificates or tests. Default: connections of undici, which use the
   * proxy of HTTPS_PROXY
   */
  fetch?: StandardFetch | undefined;
  /** The maximum number of requests that start in a second, such as 10 or 0.5. By default, there is no limit. */
  maxRequestsPerSecond?: number | undefined;
  /** Called for each attempt of a request. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** Called with a message for users, once for each of the answer headers `deprecation` and `sunset`. */
  onNotice?: ((notice: string) => void) | undefined;
};

export type Client = ServerClient & {
  /**
   * Sends a request that has no function of its own, as `formctl api` does. A write without a clientMutationId is sent
   * once.
   *
   * @throws INVALID_VALUE for a path that does not start with one slash
   * @throws ServiceError for a refusal, NoAnswer without a usable answer
   * @throws OUTCOME_UNKNOWN if a write may have been carried out
   */
  request(request: RawRequest, options?: CallOptions): Promise<RawAnswer>;
  /** Closes the connections. Calls in progress end with CLIENT_CLOSED, or OUTCOME_UNKNOWN for a write that was sent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Creates a client of a server. The client keeps connections open until it is closed. Later calls are rejected with
 * CLIENT_CLOSED.
 *
 * ```ts
 * await using client = createClient({ baseUrl, token, timeout: 5_000 });
 * const form = await client.getForm({ moduleKey, objectKey, formId }, { signal });
 * ```
 *
 * @throws BASE_URL_INVALID, CREDENTIALS_UNUSABLE if the token is empty or malformed, SETTING_INVALID for an invalid
 *   `maxRequestsPerSecond`, INVALID_VALUE for another invalid option
 * @throws NODE_UNSUPPORTED on a Node that is older than 22.19
 */
export function createClient(options: ClientOptions): Client {
  return createClientWithin(options, 30_000);
}

/** @param deadline the time limit of the requests of a call without `timeout`, in milliseconds */
export function createClientWithin(options: ClientOptions, deadline: number): Client {
  const { token, fetch, signal, timeout, maxRetries, headers, maxRequestsPerSecond, onAttempt, onNotice } = options;
  requireNode();
  requireLimits(options);
  if (maxRequestsPerSecond !== undefined) parseRequestRate(String(maxRequestsPerSecond));
  const { baseUrl, origin } = parseBaseUrl(options.baseUrl);
  const now = () => new Date();
  const network = undiciFetch(origin, process.env);
  const closing = new AbortController();
  const { service, request } = httpClient({
    baseUrl,
    token: parseToken(token, "token"),
    fetch: fetch ? ownFetch(origin, fetch) : network.fetch,
    headers: clientHeaders(VERSION, process.env),
    deadline,
    defaults: { timeout, maxRetries, headers, signal: joined([closing.signal, signal]) },
    now,
    sleep,
    random: Math.random,
    gate: createRateGate({ now, sleep, maxRequestsPerSecond }),
    ...(onAttempt && { onAttempt }),
    ...(onNotice && { onNotice }),
  });
  const whileOpen =
    <Input extends unknown[], Output>(call: (...input: Input) => Promise<Output>, operation?: OperationName) =>
    async (...input: Input) => {
      if (closing.signal.aborted) throw operation ? withOperation(clientClosed(), operation) : clientClosed();
      return call(...input);
    };
  const close = () => {
    closing.abort(clientClosed("the client was closed during the call"));
    return network.close();
  };
  return {
    ...mapCalls(service, whileOpen),
    baseUrl,
    request: whileOpen(async (raw: RawRequest, call?: CallOptions) => {
      requireRequest(raw);
      return request(raw, call);
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** undici needs this Node. An older one loads it, and fails at the first call. @throws NODE_UNSUPPORTED */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return;
  throw new FormctlError(
    "NODE_UNSUPPORTED",
    `a client needs Node 22.19 or newer; this is ${process.version}`,
    "Use a newer Node.",
  );
}

/** @throws INVALID_VALUE */
function requireRequest({ method, path }: RawRequest): void {
  const invalid = (message: string) => new FormctlError("INVALID_VALUE", message);
  if (!METHODS.includes(method)) throw invalid(`method must be one of ${METHODS.join(", ")}, not "${method}"`);
  if (!isRequestPath(path)) throw invalid(`path must start with one slash, such as /v1/currencies, not "${path}"`);
}

function clientClosed(message = "the client is closed, so nothing was sent"): NoAnswer {
  const hint = "Create another client: createClient({ baseUrl, token })";
  return new NoAnswer("CLIENT_CLOSED", message, { sent: false, hint });
}
