/** `serve --fault` on a real socket, asked by undici and curl: what the client gets, and what the store has. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Agent, request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { reasonWithout } from "../skip.ts";
import { openFaultyServer } from "./faulty-server.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

/** Serves a new store with faults, and asks with undici. */
async function open(faults: readonly string[], seed?: number) {
  const server = await openFaultyServer(faults, seed);
  const agent = new Agent({ pipelining: 1, connections: 4 });
  onTestFinished(() => agent.destroy());
  const send = async (method: "GET" | "POST", path: string, body?: object) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const answer = await request(`${server.url}${path}`, {
      method,
      headers,
      dispatcher: agent,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text };
  };
  return {
    ...server,
    create: (name: string) => send("POST", FORMS, { name, types: ["CREATE"] }),
    list: () => send("GET", FORMS),
    send,
  };
}

/** What undici throws: the code of a broken connection. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "answered",
    (error: { code?: string; cause?: { code?: string } }) => error.code ?? error.cause?.code,
  );

/** Returns the bytes until the end of a connection, and how it ends. */
async function partsOf(socket: Socket): Promise<{ parts: Buffer[]; end: string }> {
  const parts: Buffer[] = [];
  let end = "closed";
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", (error: NodeJS.ErrnoException) => (end = error.code ?? "no code"));
  await once(socket, "close").catch(() => undefined);
  return { parts, end };
}

describe.each([
  ["before", []],
  ["after", ["F1"]],
] as const)("%s the commit", (moment, stored) => {
  it("a status has an error body of the API", async () => {
    const server = await open([`write:504:${moment}:at=1`]);
    const { status, headers, text } = await server.create("F1");
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({
      status: 504,
      body: { error: { code: "GATEWAY_TIMEOUT", message: "Gateway Timeout" } },
    });
    expect(headers["x-request-id"]).toBeDefined();
    expect(headers["retry-after"]).toBeUndefined();
    expect(await server.names()).toEqual(stored);
    expect((await server.create("F2")).status).toBe(201);
  });

  it("a reset breaks the connection", async () => {
    const server = await open([`createForm:reset:${moment}:at=1`]);
    expect(await codeOf(server.create("F1"))).toBe("ECONNRESET");
    expect(await server.names()).toEqual(stored);
    expect((await server.create("F2")).status).toBe(201);
  });

  it("a cut answer ends in the middle of its body", async () => {
    const server = await open([`createForm:cut:${moment}:at=1`]);
    expect(await codeOf(server.create("F1"))).toMatch(
      /^(UND_ERR_SOCKET|ECONNRESET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    );
    expect(await server.names()).toEqual(stored);
  });

  it("a request that hangs ends with the server", async () => {
    const server = await open([`createForm:hang:${moment}`]);
    const call = codeOf(server.create("F1"));
    expect(await Promise.race([call, wait(300, "no answer")])).toBe("no answer");
    await expect.poll(() => server.names()).toEqual(stored);
    await server.stop();
    expect(await call).toBe("ECONNRESET");
  });

  it("a request that hangs ends with its client", async () => {
    const server = await open([`createForm:hang:${moment}`]);
    const body = JSON.stringify({ name: "F1", types: ["CREATE"] });
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(1_000);
    await expect(request(server.url + FORMS, { method: "POST", headers, body, signal })).rejects.toThrow(
      "due to timeout",
    );
    await expect.poll(() => server.log.length).toBe(1);
    expect(server.log).toMatchObject([{ operation: "createForm", status: 0 }]);
  });

  it("an answer that arrives in pieces is complete", async () => {
    const server = await open([`createForm:drip=1s:${moment}`]);
    const start = performance.now();
    const { status, text } = await server.create("F1");
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ data: { name: "F1" } });
    await expect
      .poll(() => server.log)
      .toMatchObject([{ status: 201, fault: expect.stringContaining("drip") as string }]);
  });

  it("a slow answer is complete", async () => {
    const server = await open([`createForm:slow=3s:${moment}`]);
    const start = performance.now();
    const call = server.create("F1");
    await expect.poll(() => server.names()).toEqual(stored);
    expect(performance.now() - start).toBeLessThan(3_000);
    expect((await call).status).toBe(201);
    expect(performance.now() - start).toBeGreaterThan(2_990);
    expect(await server.names()).toEqual(["F1"]);
  });

  it("a gateway's page is HTML", async () => {
    const server = await open([`createForm:html:${moment}`]);
    const { status, headers, text } = await server.create("F1");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 502, type: "text/html" });
    expect(text).toContain("<title>502 Bad Gateway</title>");
    expect(await server.names()).toEqual(stored);
  });

  it("a wrong token is refused as the API does", async () => {
    const server = await open([`createForm:wrong-token:${moment}`]);
    const { status, headers, text } = await server.create("F1");
    expect({ status, challenge: headers["www-authenticate"] }).toEqual({
      status: 401,
      challenge: 'Bearer error="invalid_token"',
    });
    expect(JSON.parse(text)).toMatchObject({ error: { code: "UNAUTHORIZED" } });
    expect(await server.names()).toEqual(stored);
  });

  it("a dead connection carries out no later request", async () => {
    const server = await open([`write:dead:${moment}:at=1`]);
    expect((await server.list()).status).toBe(200);
    expect(await codeOf(server.create("F1"))).toBe("ECONNRESET");
    expect(await codeOf(server.create("F2"))).toBe("ECONNRESET");
    expect(await codeOf(server.list())).toBe("ECONNRESET");
    expect(await server.names()).toEqual(stored);
  });
});

/** Lists forms with curl. Returns what it received, its message, and its exit code. */
async function curl({ url, token }: { url: string; token: string }) {
  const words = ["-s", "-w", "\\n%{errormsg}", "-H", `authorization: Bearer ${token}`, url + FORMS];
  const { stdout, code = 0 } = (await promisify(execFile)("curl", words).catch(
    (error: { stdout: string; code: number }) => error,
  )) as { stdout: string; code?: number };
  const [received, message] = stdout.split("\n");
  return { received, message, code };
}

describe("a part of a list", () => {
  it("is half of the real one, which curl reports", async ({ skip }) => {
    const reason = reasonWithout("curl");
    skip(reason !== undefined, reason);
    const server = await open(["listForms:cut:at=2"]);
    const { text } = await server.list();
    const { received, message, code } = await curl(server);
    expect(received).toBe(text.slice(0, Math.floor(text.length / 2)));
    expect([code, message]).toEqual([18, expect.stringMatching(/transfer closed with \d+ bytes remaining/)]);
  });

  it("is taken for the whole list by curl, if it does not declare its end", async ({ skip }) => {
    const reason = reasonWithout("curl");
    skip(reason !== undefined, reason);
    const server = await open(["listForms:cut=220:framing=close:at=2"]);
    const { text } = await server.list();
    const { received, message, code } = await curl(server);
    expect([code, message]).toEqual([0, ""]);
    expect(received!.length).toBeLessThan(text.length);
    expect(text.startsWith(received!)).toBe(true);
  });
});

describe("an answer that ends after some bytes", () => {
  /** Returns the bytes of an answer, and the code of the error if the connection breaks. */
  async function received(fault: string) {
    const server = await open([fault]);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    const body = JSON.stringify({ name: "F1", types: ["CREATE"] });
    const head = [`POST ${FORMS} HTTP/1.1`, "host: localhost", `authorization: Bearer ${server.token}`];
    const lengths = ["content-type: application/json", `content-length: ${body.length}`];
    socket.write(`${[...head, ...lengths].join("\r\n")}\r\n\r\n${body}`);
    const { parts, end } = await partsOf(socket);
    return { text: Buffer.concat(parts).toString(), end, names: await server.names() };
  }

  it("has just these bytes", async () => {
    const { text, end, names } = await received("createForm:cut=100:after");
    expect(text).toHaveLength(100);
    expect(text).toContain("HTTP/1.1 201 Created\r\n");
    expect([end, names]).toEqual(["closed", ["F1"]]);
  });

  it("has at most these bytes before a reset, which may overtake them", async () => {
    const { text, end, names } = await received("createForm:reset=100:after");
    expect(text.length).toBeLessThanOrEqual(100);
    expect([end, names]).toEqual(["ECONNRESET", ["F1"]]);
  });

  it("can be empty, before the commit and after it", async () => {
    expect(await received("createForm:cut=0")).toEqual({ text: "", end: "closed", names: [] });
    expect(await received("createForm:cut=0:after")).toEqual({ text: "", end: "closed", names: ["F1"] });
  });

  it("is complete after more bytes than it has, in each framing", async () => {
    const json = (text: string) => JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)) as unknown;
    for (const [framing, header, absent] of [
      ["", /\r\ncontent-length: \d+\r\n/, /transfer-encoding/],
      [":framing=chunked", /\r\ntransfer-encoding: chunked\r\n/, /content-length/],
      [":framing=close", /\r\nconnection: close\r\n/, /content-length|transfer-encoding/],
    ] as const) {
      const { text, end } = await received(`createForm:cut=99999:after${framing}`);
      expect(text).toMatch(header);
      expect(text).not.toMatch(absent);
      expect(json(text)).toMatchObject({ data: { name: "F1" } });
      expect(end).toBe("closed");
    }
  });

  it("is found incomplete by undici if it declares its end, and not otherwise", async () => {
    for (const framing of ["", ":framing=chunked"]) {
      const server = await open([`createForm:cut=400:after${framing}`]);
      expect(await codeOf(server.create("F1"))).not.toBe("answered");
    }
    const server = await open(["createForm:cut=400:after:framing=close"]);
    const { status, text } = await server.create("F1");
    expect(status).toBe(201);
    expect(() => JSON.parse(text) as unknown).toThrow("JSON");
  });
});

it("a gateway's page can have another status, such as that of a login page", async () => {
  const server = await open(["createForm:html=200"]);
  const { status, headers, text } = await server.create("F1");
  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html" });
  expect(text).toContain("<title>200 OK</title>");
  expect(await server.names()).toEqual([]);
});

it("Retry-After is a number of seconds or a date", async () => {
  const server = await open(["createForm:429:retry-after=2:first=1", "createForm:503:retry-date=60"]);
  const seconds = await server.create("F1");
  expect([seconds.status, seconds.headers["retry-after"]]).toEqual([429, "2"]);
  expect(JSON.parse(seconds.text)).toMatchObject({ error: { code: "RATE_LIMITED" } });
  const date = await server.create("F1");
  expect(date.status).toBe(503);
  const until = Date.parse(String(date.headers["retry-after"])) - Date.now();
  expect(until).toBeGreaterThan(50_000);
  expect(until).toBeLessThan(61_000);
});

describe("the turn of a fault", () => {
  const statuses = async (faults: string[], count: number, seed?: number) => {
    const server = await open(faults, seed);
    const all: number[] = [];
    for (let at = 0; at < count; at++) all.push((await server.list()).status);
    return all;
  };

  it("is one request, the first ones, or every n-th", async () => {
    expect(await statuses(["listForms:500:at=3"], 5)).toEqual([200, 200, 500, 200, 200]);
    expect(await statuses(["read:503:first=2"], 4)).toEqual([503, 503, 200, 200]);
    expect(await statuses(["*:429:every=2"], 5)).toEqual([200, 429, 200, 429, 200]);
  });

  it("counts each request for each fault that names it", async () => {
    expect(await statuses(["listForms:500:at=2", "read:503:at=3", "write:429"], 4)).toEqual([200, 500, 503, 200]);
  });

  it("is random with a rate, and the same for the same seed", async () => {
    const some = await statuses(["*:500:rate=0.3"], 60, 11);
    expect(some).toEqual(await statuses(["*:500:rate=0.3"], 60, 11));
    expect(some).not.toEqual(await statuses(["*:500:rate=0.3"], 60, 12));
    const failed = some.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(6);
    expect(failed).toBeLessThan(35);
  });
});

it("the log names the fault of a request, and the answer does not", async () => {
  const server = await open(["createForm:503:at=1", "listForms:reset"]);
  const { headers, text } = await server.create("F1");
  expect(`${JSON.stringify(headers)}${text}`).not.toMatch(/fault|at=1/i);
  await codeOf(server.list());
  await server.create("F2");
  await expect.poll(() => server.log.length).toBe(3);
  expect(server.log).toMatchObject([
    { operation: "createForm", status: 503, fault: "createForm:503:at=1" },
    { operation: "listForms", status: 0, fault: "listForms:reset" },
    { operation: "createForm", status: 201 },
  ]);
  expect(server.log[2]).not.toHaveProperty("fault");
});

it("probes and the OpenAPI document have no faults", async () => {
  const server = await open(["*:500"]);
  for (const path of ["/livez", "/healthz", "/readyz", "/openapi.json"])
    expect((await server.send("GET", path)).status).toBe(200);
  expect((await server.list()).status).toBe(500);
});
