/** Checks that a server still serves reads from a store that is full, read-only, or locked by another process. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { openSqlite, openSqliteForServing } from "../../src/store/sqlite.ts";
import { type Store, StoreError, type StoreErrorCode } from "../../src/store/store.ts";
import { newCanary } from "../canary.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolders } from "../temporary.ts";
import { bearer, ORIGIN } from "./scene.ts";

const folder = temporaryFolders();
const START = "2026-03-02T09:00:00.000Z";
const seed = seededStore(contractOrganizations, { now: () => new Date(START), newId: randomId });

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

/** @param open how the server opens the store */
async function openServer(open: (path: string) => Store) {
  const path = join(folder(), "store.db");
  await seed(path);
  const clock = { now: new Date(START) };
  const serviceOn = (store: Store): LocalService =>
    openLocalService({ store, now: () => clock.now, newId: randomId, newToken: newCanary });
  const admin = serviceOn(openSqlite(path, { create: false }));
  const { token } = await admin.createToken({
    organization: "northwind",
    name: "test",
    permissions: PERMISSIONS,
    expiresAt: null,
  });
  const server = serviceOn(open(path));
  onTestFinished(async () => {
    await server.close();
    await admin.close();
  });
  const handler = serviceHandler(server, { host: "127.0.0.1", version: "test" });
  const send = async (method: "GET" | "POST", name?: string) => {
    const headers = { ...bearer(token), "content-type": "application/json" };
    const body = name === undefined ? {} : { body: JSON.stringify({ name, types: ["EDIT"] }) };
    const answer = await handler(new Request(ORIGIN + FORMS, { method, headers, ...body }));
    const said = (await answer.json()) as { error?: { code: string }; data?: { name: string }[] };
    return { status: answer.status, said, headers: answer.headers };
  };
  const lastUsed = async () => (await admin.listTokens("northwind")).find(({ name }) => name === "test")!.lastUsedAt;
  return { path, clock, send, lastUsed };
}

/** Starts a write transaction of another program. Returns a function that ends the transaction. */
function lock(path: string): () => void {
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const release = () => {
    if (!other.isOpen) return;
    other.exec("ROLLBACK");
    other.close();
  };
  onTestFinished(release);
  return release;
}

/** A request, and whether it still has no answer. */
function waiting<T>(end: Promise<T>): { end: Promise<T>; isWaiting: () => boolean } {
  let isWaiting = true;
  void end.finally(() => (isWaiting = false));
  return { end, isWaiting: () => isWaiting };
}

/** Waits until a request in this process waits for the store. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}

describe("a store that another process has locked", () => {
  it("serves reads immediately while writes wait, also with a token first used today", async () => {
    const { path, send } = await openServer(openSqliteForServing);
    const release = lock(path);
    const write = waiting(send("POST", "Waiting"));
    await someTurns();
    for (let times = 0; times < 20; times++) expect((await send("GET")).status).toBe(200);
    expect(write.isWaiting()).toBe(true);
    release();
    expect((await write.end).status).toBe(201);
  });

  it("delays reads that share the connection of the writes (control)", async () => {
    const { path, send } = await openServer((store) => openSqlite(store, { create: false }));
    lock(path);
    const write = waiting(send("POST", "Waiting"));
    await someTurns();
    expect((await send("GET")).status).toBe(200);
    expect(write.isWaiting()).toBe(false);
    expect((await write.end).status).toBe(503);
  });

  it("refuses writes after five seconds, with Retry-After", async () => {
    const { path, send } = await openServer(openSqliteForServing);
    lock(path);
    const write = await send("POST", "Late");
    expect([write.status, write.said.error?.code, write.headers.get("retry-after")]).toEqual([503, "STORE_BUSY", "1"]);
  });

  it("does not block the event loop while a write waits", async () => {
    const { path, send } = await openServer(openSqliteForServing);
    lock(path);
    const write = waiting(send("POST", "Late"));
    let turns = 0;
    for (; write.isWaiting(); turns++) await setTimeout(1);
    // SQLite would block the event loop for the five seconds of the busy timeout. On a busy machine, these seconds have
    // fewer turns.
    expect(turns).toBeGreaterThan(50);
    expect((await write.end).status).toBe(503);
  });
});

describe("a read", () => {
  it("sees every acknowledged write", async () => {
    const { send } = await openServer(openSqliteForServing);
    for (let times = 0; times < 50; times++) {
      expect((await send("POST", `Form ${times}`)).status).toBe(201);
      const answer = await send("GET");
      expect(answer.said).toMatchObject({ meta: { total: times + 1 } });
    }
  });
});

describe("the last use of a token", () => {
  it("is written in the background, once a day", async () => {
    const { clock, send, lastUsed } = await openServer(openSqliteForServing);
    await send("GET");
    await expect.poll(lastUsed).toBe("2026-03-02");
    clock.now = new Date("2026-03-03T00:00:00.000Z");
    await send("GET");
    await expect.poll(lastUsed).toBe("2026-03-03");
  });

  it("is written a minute later if the first attempt fails", async () => {
    const { path, clock, send, lastUsed } = await openServer(openSqliteForServing);
    const release = lock(path);
    expect((await send("GET")).status).toBe(200);
    // The writes of a server wait for the store one after the other, so the attempt has failed before this request.
    expect((await send("POST", "Late")).status).toBe(503);
    release();
    expect(await lastUsed()).toBeNull();
    clock.now = new Date("2026-03-02T09:01:00.000Z");
    await send("GET");
    await expect.poll(lastUsed).toBe("2026-03-02");
  });
});

const UNWRITABLE: [StoreErrorCode, number][] = [
  ["STORE_BUSY", 503],
  ["STORE_READ_ONLY", 503],
  ["STORE_FULL", 507],
];

describe.each(UNWRITABLE)("a store that fails to write with %s", (code, status) => {
  it(`serves reads, and refuses writes with ${status}`, async () => {
    const { send } = await openServer((path) => {
      const store = openSqliteForServing(path);
      return {
        ...store,
        write: () => Promise.reject(new StoreError(code, "it can't be written", "Wait.")),
      };
    });
    expect((await send("GET")).status).toBe(200);
    const write = await send("POST", "Refused");
    expect([write.status, write.said.error?.code]).toEqual([status, code]);
    expect(write.headers.get("retry-after")).toBe(code === "STORE_BUSY" ? "1" : null);
  });
});
