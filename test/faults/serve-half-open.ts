/** Many half-sent requests at once: an ordinary request is answered within a second, during the attack and after it. */

import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { CONNECTION_LIMITS, listen } from "../../src/server/listen.ts";

export const name = "serve: half-open sockets";
export const full = 1_000;
export const sample = 600;

const PATIENCE_MS = 1_000;

/** What never becomes a whole request, in the order in which the sockets of an attack send it. */
const BEGINNINGS = [
  "",
  "GET /healthz HTTP/1.1\r\nhost: loc",
  "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
  "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nhost: loc",
  "\u0001\u0002\u0003",
];

/** @returns a line for each ordinary request that was not answered in time; none: the server holds */
export function run(count: number): Promise<string[]> {
  return attack(count, {});
}

/** The same without the budget of connections. @returns the requests that starve */
export function control(): Promise<string[]> {
  return attack(full, { maxWaiting: Infinity, maxPerAddress: Infinity });
}

async function attack(count: number, limits: Partial<typeof CONNECTION_LIMITS>): Promise<string[]> {
  const handler = async (request: Request) => new Response(await request.text());
  const headersTimeout = 1_000;
  const requestTimeout = 2_000;
  const { url, stop } = await listen({
    host: "127.0.0.1",
    port: 0,
    handler,
    limits: { headersTimeout, requestTimeout, ...limits },
  });
  const port = Number(new URL(url).port);
  const failures: string[] = [];
  const ask = async (when: string) => {
    if (!(await isAnswered(port))) failures.push(`an ordinary request is not answered ${when}`);
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
  await setTimeout(10);
  return failures;
}

/** A connection whose client never closes its side. */
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
