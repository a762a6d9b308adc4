/** A handler on a socket: the limits of a connection, and an end that loses no answer. */

import { randomUUID } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { refuser } from "./broken-requests.ts";
import type { HandlerOptions } from "./handler.ts";

export type Listening = {
  /** `http://127.0.0.1:8080`, with the port that was taken. */
  url: string;
  /** Takes no new request, waits for those that run, and closes. */
  stop: () => Promise<void>;
};

/** How a connection may behave (docs/decisions.md, "Limits"). Times in milliseconds. */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** A filter with a hundred names is a long query: it has room of its own, and the headers have theirs. */
  maxUrlSize: 48 * 1024,
  maxHeaderSize: 16 * 1024,
  maxRequestsPerSocket: 1_000,
  maxConnections: 500,
};

export type ListenOptions = {
  host: string;
  /** 0: any that is free. */
  port: number;
  handler: (request: Request) => Promise<Response>;
  /** For what is refused before the handler sees it. */
  newRequestId?: HandlerOptions["newRequestId"];
  log?: HandlerOptions["log"];
  limits?: Partial<typeof CONNECTION_LIMITS>;
};

/** @throws the error of the socket when the address can't be had */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, handler, limits: given, newRequestId = randomUUID, log } = options;
  const limits = { ...CONNECTION_LIMITS, ...given };
  const { headersTimeout, requestTimeout, maxUrlSize, maxHeaderSize } = limits;
  const { refuse, answerBroken, answer } = refuser({ newRequestId, ...(log && { log }) });
  const errorHandler = (error: unknown) => answer(error instanceof RequestError ? 400 : 500);
  const listener = getRequestListener(handler, { errorHandler });
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      // Node counts both together, and apart they are counted below.
      maxHeaderSize: maxUrlSize + maxHeaderSize,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout),
      // Without a Host the listener refuses too, and in JSON.
      requireHostHeader: false,
    },
    (request, response) => {
      let size = 0;
      // A colon, a space and a line break for each pair.
      for (const text of request.rawHeaders) size += text.length + 2;
      if ((request.url ?? "").length > maxUrlSize) refuse(request, response, 414);
      else if (size > maxHeaderSize) refuse(request, response, 431);
      else void listener(request, response);
    },
  );
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;
  server.on("clientError", answerBroken);
  server.on("checkExpectation", (request, response: ServerResponse) => refuse(request, response, 417));
  const close = closing(server, requestTimeout);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${hostInUrl(host)}:${taken}`, stop: close };
}

/** An address as it stands in a URL: `::1` → `[::1]`. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** @returns ends the server: requests that run are answered, within `patience`; every other connection ends at once */
function closing(server: Server, patience: number): () => Promise<void> {
  const sockets = new Set<Socket>();
  const running = new Map<Socket, ServerResponse>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", ({ socket }, response: ServerResponse) => {
    running.set(socket, response);
    response.once("close", () => running.delete(socket));
  });
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) {
      const response = running.get(socket);
      // Its answer is the last on its connection.
      if (response) response.shouldKeepAlive = false;
      else socket.destroySoon();
    }
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    await closed;
    clearTimeout(timer);
  };
}
