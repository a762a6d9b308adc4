/** A handler on a socket: limits of the protocol, JSON also for what is no HTTP, and an end that loses no answer. */

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";

export type Listening = {
  /** `http://127.0.0.1:8080`, with the port that was taken. */
  url: string;
  /** Takes no new request, waits for those that run, and closes. */
  stop: () => Promise<void>;
};

export type ListenOptions = {
  host: string;
  /** 0: any that is free. */
  port: number;
  handler: (request: Request) => Promise<Response>;
};

/** How a connection may behave (docs/decisions.md, "Limits"). */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** A filter with a hundred names is a long query: it has room of its own, and the headers have theirs. */
  maxUrlSize: 48 * 1024,
  maxHeaderSize: 16 * 1024,
  maxRequestsPerSocket: 1_000,
  maxConnections: 500,
};

/** How long the end waits for requests that run, in milliseconds. A request can't take longer to arrive. */
const PATIENCE = CONNECTION_LIMITS.requestTimeout;

/** @throws the error of the socket when the address can't be had */
export async function listen({ host, port, handler }: ListenOptions): Promise<Listening> {
  const { headersTimeout, requestTimeout, maxRequestsPerSocket, maxConnections } = CONNECTION_LIMITS;
  const refuse = async () => new Response(errorText(400), { status: 400, headers: HEADERS });
  const listener = getRequestListener(handler, { errorHandler: refuse });
  // Without a Host the listener refuses too, and in JSON.
  const options = {
    headersTimeout,
    requestTimeout,
    // Node counts both together.
    maxHeaderSize: CONNECTION_LIMITS.maxUrlSize + CONNECTION_LIMITS.maxHeaderSize,
    connectionsCheckingInterval: 2_000,
    requireHostHeader: false,
  };
  const running = new Set<ServerResponse>();
  let isStopping = false;
  const server = createServer(options, (request, response) => {
    running.add(response);
    response.once("close", () => running.delete(response));
    if (isStopping) response.shouldKeepAlive = false;
    const status = tooLong(request);
    if (status) response.writeHead(status, HEADERS).end(errorText(status));
    else void listener(request, response);
  });
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  server.maxConnections = maxConnections;
  server.on("clientError", answerBroken);
  server.on("checkExpectation", (_request, response: ServerResponse) => {
    response.writeHead(417, HEADERS).end(errorText(417));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const stop = () => {
    isStopping = true;
    // The answers that are still to come end their connections; those that are idle end at once.
    for (const response of running) response.shouldKeepAlive = false;
    return close(server);
  };
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`, stop };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), PATIENCE);
  await closed;
  clearTimeout(timer);
}

function tooLong({ url = "", rawHeaders }: IncomingMessage): 414 | 431 | undefined {
  if (url.length > CONNECTION_LIMITS.maxUrlSize) return 414;
  // A colon, a space and a line break for each pair.
  let size = rawHeaders.length * 2;
  for (const text of rawHeaders) size += text.length;
  return size > CONNECTION_LIMITS.maxHeaderSize ? 431 : undefined;
}

const CODES = {
  400: ["BAD_REQUEST", "this is not a request of HTTP/1.1"],
  408: ["REQUEST_TIMEOUT", "the request took too long to arrive"],
  414: ["URI_TOO_LONG", `the URL is over ${CONNECTION_LIMITS.maxUrlSize} bytes`],
  417: ["EXPECTATION_FAILED", "only the expectation 100-continue can be met"],
  431: ["HEADERS_TOO_LARGE", `the headers are over ${CONNECTION_LIMITS.maxHeaderSize} bytes`],
} as const;

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
};

function errorText(status: keyof typeof CODES): string {
  const [code, message] = CODES[status];
  return JSON.stringify({ error: { code, message } });
}

/** Bytes that never became a request are answered on the bare socket. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const body = errorText(status);
  const headers = Object.entries({ ...HEADERS, "content-length": Buffer.byteLength(body) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
}
