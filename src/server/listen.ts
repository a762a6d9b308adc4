/** Listens on a socket, enforces the limits of connections, and stops without losing responses. */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { createErrorResponder } from "./broken-requests.ts";
import { type Connections, limitConnections } from "./connections.ts";
import type { Handler, HandlerOptions } from "./handler.ts";

export type Listening = {
  /** The base URL with the actual port, such as `http://127.0.0.1:8080`. */
  url: string;
  /** Refuses new requests, waits at most `requestTimeout` for running requests, and closes the server. */
  stop: () => Promise<void>;
};

/** The limits of connections (docs/decisions.md, "Limits"). Times in milliseconds. */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** The time without data in either direction, for example while a client does not read its response. */
  silenceTimeout: 60_000,
  /** The maximum length of a URL. It exceeds `maxHeaderSize`, because a filter with a hundred names is a long query. */
  maxUrlSize: 48 * 1024,
  maxHeaderSize: 16 * 1024,
  maxRequestsPerSocket: 1_000,
  maxConnections: 500,
  /**
   * The maximum number of connections that wait for a client. The other connections are reserved for running requests.
   */
  maxWaiting: 300,
  maxPerAddress: 250,
};

export type ListenOptions = {
  host: string;
  /** 0 selects a free port. */
  port: number;
  handler: (request: Request) => Promise<Response>;
  /** Answers a GET request that `handler` has answered before; see `Handler`. */
  answerAgain?: Handler["answerAgain"];
  /** Generates ids for requests that are refused before they reach the handler. */
  newRequestId?: HandlerOptions["newRequestId"];
  log?: HandlerOptions["log"];
  limits?: Partial<typeof CONNECTION_LIMITS>;
};

/** Starts the server. @throws the error of the socket if the address is not available */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, handler, answerAgain, limits: given, newRequestId = randomUUID, log } = options;
  const limits = { ...CONNECTION_LIMITS, ...given };
  const { headersTimeout, requestTimeout, maxUrlSize, maxHeaderSize } = limits;
  const { refuse, answerBroken, answer } = createErrorResponder({ newRequestId, ...(log && { log }) });
  const errorHandler = (error: unknown) => answer(error instanceof RequestError ? 400 : 500);
  const listener = getRequestListener(handler, { errorHandler });
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      // Node has one limit for the URL and the headers together. The separate limits are checked below.
      maxHeaderSize: maxUrlSize + maxHeaderSize,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout),
      // The listener itself refuses a request without a Host header, and responds in JSON.
      requireHostHeader: false,
    },
    (request, response) => {
      const { size, repeated } = measureHeaders(request.rawHeaders);
      if ((request.url ?? "").length > maxUrlSize) refuse(request, response, 414);
      else if (size > maxHeaderSize) refuse(request, response, 431);
      // With several Host headers, a proxy could use one and this server another (RFC 9112 §3.2).
      else if (repeated.includes("host")) refuse(request, response, 400);
      else if (repeated.length > 0 || !sendAgain(request, response, answerAgain)) void listener(request, response);
    },
  );
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;
  server.on("clientError", answerBroken);
  server.on("checkExpectation", (request, response: ServerResponse) => refuse(request, response, 417));
  server.timeout = limits.silenceTimeout;
  const close = closing(server, limitConnections(server, limits), requestTimeout);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${hostInUrl(host)}:${taken}`, stop: close };
}

/** The headers on which the answer to a GET request depends. */
const ANSWERED = ["host", "authorization", "x-request-id"] as const;

/**
 * Returns the size of the headers, and which of {@link ANSWERED} are repeated.
 *
 * @param rawHeaders names and values in turn
 */
function measureHeaders(rawHeaders: readonly string[]) {
  let size = 0;
  const counts = { host: 0, authorization: 0, "x-request-id": 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // The names and values, plus 4 characters for each pair: a colon, a space and a line break.
    size += name.length + rawHeaders[index + 1]!.length + 4;
    for (const each of ANSWERED) if (name.length === each.length && name.toLowerCase() === each) counts[each]++;
  }
  return { size, repeated: ANSWERED.filter((name) => counts[name] > 1) };
}

/** A Host that can't change how the rest of the URL is read, as `localhost/v1` does. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/**
 * Sends the answer to an equal former request. Everything that is unusual is left to the handler: other methods, bodies,
 * a Host with other characters, and a URL that is not in its normal form, because the handler remembers answers by the
 * normal form.
 *
 * @returns false if nothing was sent
 */
function sendAgain(
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  answerAgain: Handler["answerAgain"] | undefined,
): boolean {
  const { host, authorization = null, "x-request-id": requestId = null } = headers;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (method !== "GET" || hasBody || Array.isArray(requestId)) return false;
  if (host === undefined || !PLAIN_HOST.test(host) || !url?.startsWith("/")) return false;
  const answer = answerAgain?.({ url: `http://${host}${url}`, authorization, requestId });
  if (!answer) return false;
  const { status, text } = answer;
  response.writeHead(status, { ...answer.headers, "content-length": Buffer.byteLength(text) }).end(text);
  return true;
}

/** Returns the host in the notation of URLs: `::1` → `[::1]`. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Returns a function that stops the server: idle connections close at once, running requests have `patience` ms to end.
 */
function closing(server: Server, connections: Connections, patience: number): () => Promise<void> {
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.endIdle();
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearTimeout(timer);
  };
}
