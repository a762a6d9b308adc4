/**
 * Sends requests to a server on this machine. Each connection stays open and has one request at a time.
 *
 * The work for a request is small: on a machine with two cores, the server shares them with this module.
 */

import { connect, type Socket } from "node:net";

export type Load = {
  port: number;
  connections: number;
  /** When to stop: after a time, after a number of requests, or when the function returns true. */
  until: { ms: number } | { requests: number } | (() => boolean);
  /** The time in milliseconds between a response and the next request on its connection. The default is 0. */
  pause?: number;
  /** Returns the text of a request. Build the text with {@link requestText}. `index` counts from 0. */
  request: (index: number) => string;
  /** The status that every response must have. */
  status: number;
};

/** Returns the text of a request with the headers in `headers`, and `body` as JSON. */
export function requestText(method: string, path: string, headers: Record<string, string>, body?: unknown): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = {
    host: "127.0.0.1:8080",
    ...headers,
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** Returns the number of responses per second. @throws Error for another status, and for a response without a length */
export async function load({ port, connections, until, pause = 0, request, status }: Load): Promise<number> {
  let sent = 0;
  let answered = 0;
  const start = performance.now();
  const hasEnded = () => {
    if (typeof until === "function") return until();
    return "requests" in until ? sent >= until.requests : performance.now() - start >= until.ms;
  };

  const run = async (): Promise<void> => {
    // A server closes a connection after a number of requests. The loop then opens a new connection.
    while (!hasEnded())
      await new Promise<void>((resolve, reject) => exchange(connect(port, "127.0.0.1"), resolve, reject));
  };
  const exchange = (socket: Socket, resolve: () => void, reject: (error: Error) => void) => {
    let received = "";
    /** The number of missing bytes of the response. `undefined` until its headers are complete. */
    let missing: number | undefined;
    let closes = false;
    const next = () => {
      if (closes || hasEnded()) {
        socket.end();
        return;
      }
      received = "";
      missing = undefined;
      socket.write(request(sent++), "latin1");
    };
    socket.setNoDelay(true);
    socket.on("error", reject);
    socket.on("close", resolve);
    socket.on("connect", next);
    socket.on("data", (bytes) => {
      if (missing === undefined) {
        received += bytes.toString("latin1");
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = received.slice(0, end).toLowerCase();
        const length = /content-length: *(\d+)/.exec(head)?.[1];
        if (Number(head.slice(9, 12)) !== status || length === undefined) {
          socket.destroy();
          return reject(new Error(`unexpected response: ${received.slice(0, 500)}`));
        }
        closes = head.includes("connection: close");
        missing = Number(length) - (received.length - end - 4);
      } else missing -= bytes.length;
      if (missing > 0) return;
      answered++;
      if (pause > 0) setTimeout(next, pause);
      else next();
    });
  };
  await Promise.all(Array.from({ length: connections }, run));
  return (answered / (performance.now() - start)) * 1000;
}
