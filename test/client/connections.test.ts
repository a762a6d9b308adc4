/** Tests the number of connections of the client, and what V8 compiles for them. */

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { exchange } from "../../src/client/exchange.ts";
import { tokenHider } from "../../src/client/hide-token.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { newCanary } from "../canary.ts";

async function countingServer(answer: RequestListener): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer(answer).on("connection", () => connections++);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

it.each([1, 8])("opens as many connections as there are concurrent requests: %i", async (concurrency) => {
  const { url, connections } = await countingServer((_request, response) => {
    setTimeout(() => response.end("{}"), Math.random() * 3);
  });
  const { fetch, close } = undiciFetch(url, {});
  onTestFinished(close);
  const hide = tokenHider(newCanary());
  const sendInTurn = async () => {
    for (let request = 0; request < 30; request++) {
      const sent = { url: `${url}/`, method: "GET", headers: {} };
      const { status } = await exchange(fetch, sent, { milliseconds: 60_000, hide });
      expect(status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  expect(connections()).toBe(concurrency);
});

it.each([
  ["a redirect", 302, { location: "/elsewhere" }],
  ["a compressed answer", 200, { "content-encoding": "br" }],
])("closes the connection of %s whose body has no end", async (_, status, headers) => {
  const closed = Promise.withResolvers<string>();
  const { url } = await countingServer((_request, response) => {
    response.on("close", () => closed.resolve("closed"));
    response.writeHead(status, headers).write("x".repeat(100));
  });
  const { fetch, close } = undiciFetch(url, {});
  onTestFinished(close);
  const sent = { url: `${url}/`, method: "GET", headers: {} };
  const hide = tokenHider(newCanary());
  await expect(exchange(fetch, sent, { milliseconds: 60_000, hide })).rejects.toThrow(/redirects|compress|accepted/);
  setTimeout(() => closed.resolve("still open"), 60_000).unref();
  await expect(closed.promise).resolves.toBe("closed");
});
