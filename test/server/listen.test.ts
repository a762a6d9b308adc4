/**
 * Checks the server on a real socket: bytes that are not HTTP, limits of a connection, and a stop. The stop must lose
 * no response.
 */

import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestLogEntry } from "../../src/server/request-log.ts";
import { CONNECTION_LIMITS, listen } from "../../src/server/listen.ts";
import { LIMITS } from "../../src/server/limits.ts";
import { seeded } from "./fuzz.ts";
import { bearer } from "./scene.ts";
import { openServerWorld } from "./server-world.ts";

type Handler = (request: Request) => Promise<Response>;

async function open(
  handler?: Handler,
  log?: (entry: RequestLogEntry) => void,
  limits: Partial<typeof CONNECTION_LIMITS> = {},
) {
  const world = await openServerWorld();
  const token = await world.token("northwind");
  const { url, stop } = await listen({
    host: "127.0.0.1",
    port: 0,
    handler: handler ?? world.send,
    newRequestId: () => "made-up",
    ...(log && { log }),
    limits,
  });
  onTestFinished(() => stop());
  const { port } = new URL(url);
  const head = `authorization: Bearer ${token}\r\nhost: localhost\r\n`;
  return { world, url, stop, port: Number(port), token, head };
}

/** Sends bytes and reads until the connection ends or is silent for a moment. The first byte may take longer. */
function exchange(port: number, bytes: string | Uint8Array, patience = 300, first = 120_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(first, finish);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      socket.setTimeout(patience);
    });
    socket.on("close", finish);
    socket.on("error", () => undefined);
    // The socket is not ended: Node does not respond to a sender that has closed its side.
    socket.write(bytes);
  });
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as { error: { code: string } };

describe("malformed input", () => {
  it.each([
    ["garbage", "\u0001\u0002\u0003\r\n\r\n", 400, "BAD_REQUEST"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", 400, "BAD_REQUEST"],
    ["an unknown method", "STEAL /v1/currencies HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "BAD_REQUEST"],
    ["no Host", "GET /v1/currencies HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST"],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n", 400, "BAD_REQUEST"],
    ["a broken Host", "GET /v1/currencies HTTP/1.1\r\nhost: a b\r\n\r\n", 400, "BAD_REQUEST"],
    [
      "two lengths",
      "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      400,
      "BAD_REQUEST",
    ],
    [
      "a length and pieces",
      "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
      400,
      "BAD_REQUEST",
    ],
    [
      "an expectation",
      "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\nexpect: a miracle\r\ncontent-length: 0\r\n\r\n",
      417,
      "EXPECTATION_FAILED",
    ],
    ["a path outside", "GET ../../etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "BAD_REQUEST"],
  ])("%s is refused, in JSON", async (_what, bytes, status, code) => {
    const { port } = await open();
    const answer = await exchange(port, bytes);
    expect([statusOf(answer), bodyOf(answer).error.code]).toEqual([status, code]);
    expect(answer).toMatch(/content-type: application\/json/i);
    expect(answer).toMatch(/cache-control: no-store/i);
    expect(answer).toMatch(/x-request-id: made-up/i);
  });

  it("a foreign Host is refused also when the URL is absolute", async () => {
    const { port } = await open();
    const ask = (target: string, host: string) =>
      exchange(port, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(statusOf(await ask("/healthz", "evil.example"))).toBe(421);
    expect(statusOf(await ask("http://evil.example/healthz", "localhost"))).toBe(421);
    expect(statusOf(await ask("/healthz", "localhost"))).toBe(200);
  });

  it("of 500 nearly valid requests never stops the server, and every status is below 500", async () => {
    // The server also answers the requests that are cut off, so the client need not stop waiting.
    const { port, head } = await open(undefined, undefined, { headersTimeout: 1_000, requestTimeout: 1_000 });
    const random = seeded(20_261_121);
    const whole = `PATCH /v1/custom-modules/staffing/objects/candidate/forms/defaults?x=1 HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
    const spoil = (): Uint8Array => {
      const bytes = Buffer.from(whole);
      for (let times = 1 + Math.floor(random() * 4); times > 0; times--)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      return bytes.subarray(0, random() < 0.7 ? bytes.length : Math.floor(random() * bytes.length));
    };
    const requests = Array.from({ length: 500 }, spoil);
    const statuses: number[] = [];
    for (let index = 0; index < requests.length; index += 125) {
      const batch = requests.slice(index, index + 125).map((bytes) => exchange(port, bytes));
      for (const answer of await Promise.all(batch)) if (answer !== "") statuses.push(statusOf(answer));
    }
    expect(statuses.length).toBeGreaterThan(300);
    expect(statuses.filter((status) => !(status >= 200 && status < 500))).toEqual([]);
    expect(statusOf(await exchange(port, `GET /healthz HTTP/1.1\r\n${head}connection: close\r\n\r\n`))).toBe(200);
  });
});

it("the errors of every request are documented for each operation", async () => {
  const { url } = await open();
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(operations.length).toBeGreaterThan(20);
  for (const { responses } of operations)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "408", "414", "417", "421", "431", "500"]));
});

it("requests that do not reach the handler are logged, without the query", async () => {
  const entries: RequestLogEntry[] = [];
  const { port, head } = await open(undefined, (entry) => entries.push(entry));
  const secret = "q".repeat(CONNECTION_LIMITS.maxUrlSize);
  const large = "x".repeat(CONNECTION_LIMITS.maxHeaderSize);
  await exchange(port, "\u0001\r\n\r\n");
  await exchange(port, `GET /v1/currencies?${secret} HTTP/1.1\r\n${head}\r\n`);
  await exchange(port, `GET /healthz HTTP/1.1\r\n${head}x-request-id: mine\r\nx: ${large}\r\n\r\n`);
  await exchange(port, "GET /healthz HTTP/1.1\r\nhost: a b\r\n\r\n");
  expect(entries).toEqual([
    { requestId: "made-up", method: "-", path: "-", status: 400, ms: 0 },
    { requestId: "made-up", method: "GET", path: "/v1/currencies", status: 414, ms: 0 },
    { requestId: "mine", method: "GET", path: "/healthz", status: 431, ms: 0 },
    { requestId: "made-up", method: "-", path: "-", status: 400, ms: 0 },
  ]);
});

describe("a connection", () => {
  it("accepts at most 16 KiB of headers and a URL of 48 KiB", async () => {
    const { port, head } = await open();
    const { maxHeaderSize, maxUrlSize } = CONNECTION_LIMITS;
    expect([maxHeaderSize, maxUrlSize]).toEqual([16 * 1024, 48 * 1024]);
    const ask = async (headers: string, url = "/v1/currencies") =>
      statusOf(await exchange(port, `GET ${url} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`));
    const room = maxHeaderSize - Buffer.byteLength(`${head}connection: close\r\nx: \r\n`);
    expect(await ask(`${head}x: ${"x".repeat(room)}\r\n`)).toBe(200);
    expect(await ask(`${head}x: ${"x".repeat(room + 1)}\r\n`)).toBe(431);
    expect(await ask(`${head}x: ${"x".repeat(200_000)}\r\n`)).toBe(431);
    const long = (length: number) => `/v1/currencies?${"x".repeat(length - "/v1/currencies?".length)}`;
    expect(await ask(head, long(maxUrlSize))).toBe(400);
    expect(await ask(head, long(maxUrlSize + 1))).toBe(414);
  });

  it("accepts a body of the maximum size, and refuses one more byte", async () => {
    const { url, token } = await open();
    const send = async (bytes: number) => {
      const body = `{"name":"New","types":["EDIT"]}`.padEnd(bytes);
      const headers = { ...bearer(token), "content-type": "application/json" };
      const answer = await fetch(`${url}/v1/custom-modules/staffing/objects/candidate/forms`, {
        method: "POST",
        headers,
        body,
      });
      await answer.text();
      return answer.status;
    };
    expect(await send(LIMITS.bodyBytes)).toBe(201);
    expect(await send(LIMITS.bodyBytes + 1)).toBe(413);
    expect(await send(LIMITS.bodyBytes * 6)).toBe(413);
  });

  it("closes after 1,000 requests", async () => {
    const { port, head } = await open();
    expect(CONNECTION_LIMITS.maxRequestsPerSocket).toBe(1_000);
    const requests = `GET /healthz HTTP/1.1\r\n${head}\r\n`.repeat(1_000);
    const answers = await exchange(port, requests, 3_000);
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(1_000);
    expect(answers.match(/connection: close/gi)).toHaveLength(1);
  });

  it("is limited to 500 with running requests", async () => {
    expect(CONNECTION_LIMITS).toMatchObject({ maxConnections: 500, maxWaiting: 300, maxPerAddress: 250 });
    let begun = 0;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const { url, stop } = await listen({
      host: "127.0.0.1",
      port: 0,
      handler: async () => {
        begun++;
        await held;
        return new Response("done");
      },
      limits: { maxPerAddress: Infinity },
    });
    onTestFinished(() => stop());
    const port = Number(new URL(url).port);
    const request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    const all = CONNECTION_LIMITS.maxConnections;
    const running = Array.from({ length: all }, () => exchange(port, request));
    await expect.poll(() => begun).toBe(all);
    expect(await exchange(port, request)).toBe("");
    goOn();
    for (const answer of await Promise.all(running)) expect(statusOf(answer)).toBe(200);
    expect(statusOf(await exchange(port, request))).toBe(200);
  });
});

describe("a request that is slow", () => {
  it.each([
    ["in its headers", "GET /healthz HTTP/1.1\r\nhost: loc"],
    [
      "in its body",
      "POST /v1/view-layouts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
    ],
  ])("%s is aborted", async (_what, bytes) => {
    expect(CONNECTION_LIMITS).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    const handler = async (request: Request) => new Response(await request.text());
    const { url, stop } = await listen({
      host: "127.0.0.1",
      port: 0,
      handler,
      limits: { headersTimeout: 200, requestTimeout: 400 },
    });
    onTestFinished(() => stop());
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" }, () => socket.write(bytes));
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.on("close", () => resolve(text));
      socket.on("error", () => undefined);
    });
    expect([statusOf(answer), bodyOf(answer).error.code]).toEqual([408, "REQUEST_TIMEOUT"]);
  });
});

describe("stopping", () => {
  it("waits for running requests and refuses new ones", async () => {
    let goOn: () => void = () => undefined;
    const { promise, resolve: begun } = Promise.withResolvers<void>();
    const { url, stop } = await open(async () => {
      begun();
      await new Promise<void>((resolve) => (goOn = resolve));
      return new Response("done");
    });
    const running = fetch(url);
    await promise;
    const stopped = stop();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    goOn();
    const answer = await running;
    expect([answer.headers.get("connection"), await answer.text()]).toEqual(["close", "done"]);
    await stopped;
  });

  it("does not wait for idle connections", async () => {
    const { port, stop } = await open();
    const socket = connect({ port, host: "127.0.0.1" });
    await new Promise((resolve) => socket.once("connect", resolve));
    const start = performance.now();
    await stop();
    // An idle connection would be kept for five seconds.
    expect(performance.now() - start).toBeLessThan(4_000);
    socket.destroy();
  });
});

describe("an address", () => {
  it("that is in use is refused by the socket", async () => {
    const { world, port } = await open();
    await expect(listen({ host: "127.0.0.1", port, handler: world.send })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
