/** Checks that a cached answer equals the current answer of the service, for the same token, Host and data. */

import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { type Permission, PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import type { RequestLogEntry } from "../../src/server/request-log.ts";
import { openSqlite, openSqliteForServing } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { newCanary } from "../canary.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";
import { startServed } from "./served.ts";
import { temporaryFolders } from "../temporary.ts";
import { bearer, ORIGIN } from "./scene.ts";

const folder = temporaryFolders();
const START = "2026-03-02T09:00:00.000Z";
const seed = seededStore(contractOrganizations, { now: () => new Date(START), newId: randomId });
const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

/**
 * A server, and the service of an administrator on the same store. The service uses its own connection, like another
 * process.
 */
async function open() {
  const path = join(folder(), "store.db");
  await seed(path);
  const clock = { now: new Date(START) };
  let reads = 0;
  const serviceOn = (store: Store) =>
    openLocalService({ store, now: () => clock.now, newId: randomId, newToken: newCanary });
  const admin = serviceOn(openSqlite(path, { create: false }));
  const store = openSqliteForServing(path);
  const server = serviceOn({
    ...store,
    read(work) {
      reads++;
      return store.read(work);
    },
  });
  onTestFinished(async () => {
    await server.close();
    await admin.close();
  });
  const log: RequestLogEntry[] = [];
  const handler = serviceHandler(server, { host: "127.0.0.1", version: "test", log: (entry) => log.push(entry) });
  const newToken = (organization: string, permissions: readonly Permission[] = PERMISSIONS, expiresAt?: string) =>
    admin.createToken({ organization, name: "test", permissions, expiresAt: expiresAt ?? null });
  const get = async (
    token: string,
    target = FORMS,
    init: { method?: string; headers?: Record<string, string> } = {},
  ) => {
    const before = reads;
    const url = target.startsWith("http") ? target : ORIGIN + target;
    const answer = await handler(new Request(url, { ...init, headers: { ...bearer(token), ...init.headers } }));
    const { status, headers } = answer;
    return { status, headers, text: await answer.text(), reads: reads - before };
  };
  const { token, id: tokenId } = await newToken("northwind");
  // The first request records the use of the token. This write changes the store.
  await get(token);
  await expect
    .poll(async () => (await admin.listTokens("northwind")).find(({ id }) => id === tokenId)?.lastUsedAt)
    .toBe("2026-03-02");
  return { admin, clock, get, log, newToken, token, tokenId };
}

describe("an equal request", () => {
  it("gets the same answer without a read of the store, with its own id and log entry", async () => {
    const { get, log, token, tokenId } = await open();
    const first = await get(token, FORMS, { headers: { "x-request-id": "first" } });
    log.length = 0;
    const again = await get(token, FORMS, { headers: { "x-request-id": "again" } });
    expect([first.reads, again.reads]).toEqual([2, 0]);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect([...again.headers].filter(([name]) => name !== "content-length")).toEqual(
      [...first.headers].map(([name, value]) => [name, name === "x-request-id" ? "again" : value]),
    );
    const entry = {
      requestId: "again",
      method: "GET",
      path: FORMS,
      operation: "listForms",
      status: 200,
      organization: "northwind",
      tokenId,
      ms: expect.any(Number) as number,
    };
    expect(log).toEqual([entry]);
  });

  it.each([
    ["an entity tag", "/v1/view-layouts", 200],
    ["a constant answer", "/v1/currencies", 200],
    ["another page", `${FORMS}?page=2&limit=1`, 200],
  ])("has the same headers as the first: %s", async (_what, path, status) => {
    const { get, token } = await open();
    const [first, again] = [await get(token, path), await get(token, path)];
    expect([first.status, again.status, again.reads]).toEqual([status, status, 0]);
    for (const name of ["etag", "x-total-count", "content-type", "cache-control"])
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  });

  it("is read again after a write of another process", async () => {
    const { admin, get, token } = await open();
    const before = await get(token);
    const service = await admin.service("northwind");
    const form = await service.createForm({
      moduleKey: "staffing",
      objectKey: "candidate",
      body: { name: "Planted", types: ["VIEW"] },
    });
    const after = await get(token);
    expect([before.text.includes("Planted"), after.text.includes("Planted")]).toEqual([false, true]);
    const tag = (await get(token, `${FORMS}/${form.id}`)).headers.get("etag");
    await service.updateForm({
      moduleKey: "staffing",
      objectKey: "candidate",
      formId: form.id,
      body: { name: "Renamed" },
    });
    const renamed = await get(token, `${FORMS}/${form.id}`);
    expect(renamed.text).toContain("Renamed");
    expect(renamed.headers.get("etag")).not.toBe(tag);
  });

  it("with the method HEAD has no body", async () => {
    const { get, token } = await open();
    await get(token);
    expect(await get(token, FORMS, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });
});

describe("a cached answer", () => {
  it("is never given to another token", async () => {
    const { admin, get, newToken, token } = await open();
    const other = await newToken("contoso");
    const weak = await newToken("northwind", ["api.view_layouts.read"]);
    await (
      await admin.service("northwind")
    ).createForm({ moduleKey: "staffing", objectKey: "candidate", body: { name: "Planted", types: ["VIEW"] } });
    for (let times = 0; times < 3; times++) {
      expect((await get(token)).text).toContain("Planted");
      expect((await get(other.token)).text).not.toContain("Planted");
      expect((await get(weak.token)).status).toBe(403);
      expect((await get(newCanary(Buffer.from("unknown")))).status).toBe(401);
    }
    expect((await get(token)).reads).toBe(0);
  });

  it("is refused at the request after a revocation by another process", async () => {
    const { admin, get, token, tokenId } = await open();
    expect([(await get(token)).status, (await get(token)).reads]).toEqual([200, 0]);
    await admin.revokeToken(tokenId);
    expect((await get(token)).status).toBe(401);
  });

  it("is refused as soon as the token has expired", async () => {
    const { clock, get, newToken } = await open();
    const { token } = await newToken("northwind", PERMISSIONS, "2026-03-02T09:00:30.000Z");
    await get(token);
    clock.now = new Date("2026-03-02T09:00:29.999Z");
    expect((await get(token)).status).toBe(200);
    clock.now = new Date("2026-03-02T09:00:30.000Z");
    expect((await get(token)).status).toBe(401);
  });

  it("is not given to another Host", async () => {
    const { get, token } = await open();
    expect((await get(token, `http://localhost${FORMS}`)).status).toBe(200);
    expect((await get(token, `http://evil.example${FORMS}`)).status).toBe(421);
  });
});

/** Sends a GET request with exactly these headers. Returns the whole response. */
function sendRaw(url: string, path: string, headers: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (bytes) => (text += bytes.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.write([`GET ${path} HTTP/1.1`, ...headers, "connection: close", "", ""].join("\r\n"));
  });
}

describe("on a socket, a request that differs from a cached one", () => {
  it.each([
    ["in a second Authorization header", ["authorization: Bearer wrong"], 401],
    ["in a second Host header", ["host: localhost"], 400],
    ["not at all (control)", [], 200],
  ])("%s", async (_what, extra, status) => {
    const { url, token, stop } = await startServed();
    onTestFinished(stop);
    const send = (headers: readonly string[]) =>
      sendRaw(url, "/v1/currencies", ["host: localhost", `authorization: Bearer ${token}`, ...headers]);
    const [first, again] = [await send([]), await send([])];
    const bodyOf = (text: string) => text.slice(text.indexOf("\r\n\r\n"));
    expect(bodyOf(first)).toContain('"EUR"');
    expect(bodyOf(again)).toBe(bodyOf(first));
    expect(await send(extra)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it.each([
    ["in a Host that has a part of the path", "localhost/v1", "/currencies", 400],
    ["not at all, with the path in the URL (control)", "localhost", "/v1/currencies", 200],
  ])("%s", async (_what, host, path, status) => {
    const { url, token, stop } = await startServed();
    onTestFinished(stop);
    const authorization = `authorization: Bearer ${token}`;
    for (let times = 0; times < 3; times++) await sendRaw(url, "/v1/currencies", ["host: localhost", authorization]);
    expect(await sendRaw(url, path, [`host: ${host}`, authorization])).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
