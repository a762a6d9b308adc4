/**
 * Sends many incomplete requests at once. An ordinary request must be answered soon, during and after the
 * attack.
 */

import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type CONNECTION_LIMITS, listen } from "../../src/server/listen.ts";

/** Less than the time for which a server without limits answers no request. */
const PATIENCE_MS = 3_000;

/** Bytes that never become a complete request. The sockets of an attack send them in this order. */
const BEGINNINGS = [
  "",
  "GET /healthz HTTP/1.1\r\nhost: loc",
  "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
  "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nhost: loc",
  "\u0001\u0002\u0003",
];

export const halfOpenSockets = {
  name: "half-open-sockets",
  full: 1_000,
  sample: 1_000,
  run: (count: number, _seed: number) => attack(count, {}),
  /** Without the limits of connections, ordinary requests are not answered. */
  control: (_seed: number) => attack(1_000, { maxWaiting: Infinity, maxPerAddress: Infinity }),
};

async function attack(count: number, limits: Partial<typeof CONNECTION_LIMITS>) {
  const handler = async (request: Request) => new Response(await request.text());
  const headersTimeout = 5_000;
  const requestTimeout = 5_000;
  const { url, stop } = await listen({
    host: "127.0.0.1",
    port: 0,
    handler,
    limits: { headersTimeout, requestTimeout, ...limits },
  });
  const port = Number(new URL(url).port);
  const violations: string[] = [];
  let asked = 0;
  const ask = async (when: string) => {
    asked++;
    if (!(await isAnswered(port))) violations.push(`an ordinary request is not answered ${when}`);
  };
  const sockets: Socket[] = [];
  try {
    while (sockets.length < count) {
      sockets.push(halfOpen(port, BEGINNINGS[sockets.length % BEGINNINGS.length]!));
      if (sockets.length % 100 > 0) continue;
      await setTimeout(10);
      await ask(`beside ${sockets.length} half-sent requests`);
    }
    await setTimeout(headersTimeout + requestTimeout);
    await ask("after they were given up");
  } finally {
    for (const socket of sockets) socket.destroy();
    await stop();
  }
  return { count, violations, facts: { "ordinary requests": asked } };
}

/** Opens a connection whose client never closes its side. */
function halfOpen(port: number, bytes: string): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.resume();
  socket.write(bytes);
  return socket;
}

async function isAnswered(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const headers = { connection: "close" };
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { headers, signal });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
