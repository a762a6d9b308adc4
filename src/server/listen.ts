/** Listens on a socket, enforces the limits of connections, and stops without losing responses. */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { createErrorResponder } from "./broken-requests.ts";
import { clientAddress } from "./client-address.ts";
import { type Connections, limitConnections } from "./connections.ts";
import type { Handler, HandlerOptions } from "./handler.ts";
import { sendAgain } from "./send-again.ts";
import type { Certificate } from "./tls-files.ts";

export type Listening = {
  /** The base URL with the actual port, such as `http://127.0.0.1:8080`. */
  url: string;
  /** Makes each connection close after its next response. New connections are still accepted. */
  drain: () => void;
  /** Uses another certificate for new connections. Only for a server with TLS. */
  renew: (certificate: Certificate) => void;
  /**
   * Refuses new requests, waits at most `requestTimeout` for running requests, and closes the server.
   *
   * @param onAbort called before running requests are aborted, with their number
   */
  stop: (onAbort?: (requests: number) => void) => Promise<void>;
};

/** The limits of connections (docs/decisions.md, "Limits"). Times are in milliseconds. */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** The maximum time without data in either direction. For example, the client does not read its response. */
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

/**
 * How long a connection without a request stays open behind a proxy, in milliseconds. Proxies usually close such
 * connections after 60 seconds. With a shorter time, the server could close a connection at the moment of a request.
 */
const PROXY_IDLE_MS = 75_000;

export type ListenOptions = {
  host: string;
  /** 0 selects a free port. */
  port: number;
  handler: Handler["fetch"];
  /** Returns the cached answer to a GET request: see `Handler`. */
  answerAgain?: Handler["answerAgain"];
  /** Generates ids for refused requests that do not reach the handler. */
  newRequestId?: HandlerOptions["newRequestId"];
  log?: HandlerOptions["log"];
  limits?: Partial<typeof CONNECTION_LIMITS>;
  certificate?: Certificate;
  /** Whether all connections come from a proxy. The proxy names the client in `X-Forwarded-For`. */
  behindProxy?: boolean;
};

/** Starts the server. @throws the error of the socket if the address is not available */
export async function listen(options: ListenOptions): Promise<Listening> {
  const {
    host,
    port,
    handler,
    answerAgain,
    newRequestId = randomUUID,
    log,
    certificate,
    behindProxy = false,
  } = options;
  // Behind a proxy, all connections come from the address of the proxy.
  const perAddress = behindProxy ? { maxPerAddress: CONNECTION_LIMITS.maxConnections } : {};
  const limits = { ...CONNECTION_LIMITS, ...perAddress, ...options.limits };
  const { headersTimeout, requestTimeout, maxUrlSize, maxHeaderSize } = limits;
  const { refuse, answerBroken, answer } = createErrorResponder({ newRequestId, ...(log && { log }) });
  const errorHandler = (error: unknown) => answer(error instanceof RequestError ? 400 : 500);
  const listener = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      return handler(request, () => clientAddress(incoming, behindProxy), outgoing);
    },
    { errorHandler },
  );
  const again = { answerAgain, scheme: certificate ? "https" : "http" } as const;
  let isDraining = false;
  const server = await createServerFor(
    {
      headersTimeout,
      requestTimeout,
      // Node has one limit for the URL and the headers together. The separate limits are checked below.
      maxHeaderSize: maxUrlSize + maxHeaderSize,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout),
      // By default, Node refuses a request without a Host header. Here the listener refuses it with a JSON error.
      requireHostHeader: false,
      ...(behindProxy && { keepAliveTimeout: PROXY_IDLE_MS }),
    },
    (request, response) => {
      if (isDraining) response.shouldKeepAlive = false;
      const { size, repeated } = measureHeaders(request.rawHeaders);
      if ((request.url ?? "").length > maxUrlSize) refuse(request, response, 414);
      else if (size > maxHeaderSize) refuse(request, response, 431);
      // With several Host headers, a proxy and this server could use different headers (RFC 9112 §3.2).
      else if (repeated.includes("host")) refuse(request, response, 400);
      else if (repeated.length > 0 || !sendAgain(request, response, again)) void listener(request, response);
    },
    certificate && { ...certificate, minVersion: "TLSv1.2", handshakeTimeout: headersTimeout },
  );
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;
  const connections = limitConnections(server, limits);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // Without a finished TLS handshake, the client can't read an answer.
    if (!connections.isReady(socket)) socket.destroy();
    else answerBroken(error, socket);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => refuse(request, response, 417));
  server.timeout = limits.silenceTimeout;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `${again.scheme}://${hostInUrl(host)}:${taken}`,
    drain: () => void (isDraining = true),
    renew: (renewed) => (server as TlsServer).setSecureContext(renewed),
    stop: closing(server, connections, requestTimeout),
  };
}

type ServerParameters = Parameters<typeof createServer<typeof IncomingMessage, typeof ServerResponse>>;
type TlsOptions = Certificate & { minVersion: "TLSv1.2"; handshakeTimeout: number };

async function createServerFor(
  options: ServerParameters[0],
  onRequest: NonNullable<ServerParameters[1]>,
  tls: TlsOptions | undefined,
): Promise<Server | TlsServer> {
  if (!tls) return createServer(options, onRequest);
  const https = await import("node:https");
  return https.createServer({ ...options, ...tls }, onRequest);
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
    // The name, the value, and 4 characters: a colon, a space and a line break.
    size += name.length + rawHeaders[index + 1]!.length + 4;
    for (const each of ANSWERED) if (name.length === each.length && name.toLowerCase() === each) counts[each]++;
  }
  return { size, repeated: ANSWERED.filter((name) => counts[name] > 1) };
}

/** Returns the host in the notation of URLs: `::1` → `[::1]`. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Returns a function that stops the server. Idle connections close at once. Running requests have `patience` ms to end.
 */
function closing(server: Server | TlsServer, connections: Connections, patience: number): Listening["stop"] {
  return async (onAbort) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.endIdle();
    const timer = setTimeout(() => {
      onAbort?.(connections.running());
      server.closeAllConnections();
    }, patience);
    await closed;
    clearTimeout(timer);
  };
}
