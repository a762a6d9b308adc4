/** Tests the number of connections of the client, and what V8 compiles for them. */

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { exchange } from "../../src/client/exchange.ts";
import { tokenHider } from "../../src/client/hide-token.ts";
import { undiciFetch } from "../../src/client/undici-fetch.ts";
import { newCanary } from "../canary.ts";
import { finished, FORMCTL } from "../e2e/program.ts";

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
  setTimeout(() => closed.resolve("still open"), 5_000).unref();
  await expect(closed.promise).resolves.toBe("closed");
});

it("compiles no optimized HTTP parser for a command with few requests", async () => {
  const form = { id: "frm_1", name: "Intake", types: ["VIEW"] };
  const { url } = await countingServer(({ url: path = "" }, response) => {
    // The headers are as much work for the parser as the headers of several usual responses.
    for (let header = 0; header < 40; header++) response.setHeader(`x-header-${header}`, `value ${header}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: path.endsWith("/forms") ? [form] : form, meta: { total: 1 } }));
  });
  const program = (line: string) =>
    finished(process.execPath, ["--trace-wasm-compilation-times", FORMCTL, ...line.split(" ")], {
      env: { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: newCanary() },
    });
  const { code, stdout } = await program("forms get staffing/candidate/Intake");
  expect(code).toBe(0);
  // The parser runs with the code of Liftoff, V8's fast compiler. No parser code is optimized.
  expect(stdout).toMatch(/using Liftoff/i);
  expect(stdout).not.toMatch(/using TurboFan/i);
});
