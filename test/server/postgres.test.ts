/** Servers on PostgreSQL: tokens that another process changes, and a database that stops. */

import { expect, it, onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serve } from "../../src/composition/serve.ts";
import { createPostgres, openPostgres, SERVING } from "../../src/store/postgres/postgres.ts";
import { newCanary } from "../canary.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { postgresOfFile } from "../postgres.ts";
import { bearer } from "./scene.ts";

const serverOfFile = await postgresOfFile();
const CLOCK = "2026-03-02T09:00:00.000Z";
const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

async function open() {
  const database = serverOfFile();
  const name = await database.createDatabase();
  const url = database.url(name);
  await createPostgres(url);
  const clock = { now: new Date(CLOCK) };
  const openLocal = (ofServer = url) =>
    openLocalService({
      store: openPostgres(ofServer, SERVING),
      now: () => clock.now,
      newId: randomId,
      newToken: () => newCanary(),
    });
  const admin = openLocal();
  await admin.seed(contractOrganizations);
  const createToken = (expiresAt: string | null) =>
    admin.createToken({ organization: "northwind", name: "test", permissions: PERMISSIONS, expiresAt });
  const startServer = async (ofServer = url) => {
    const local = openLocal(ofServer);
    const lines: string[] = [];
    const metrics = { host: "127.0.0.1", port: 0 };
    const write = (text: string) => void lines.push(text);
    const served = await serve(local, { host: "127.0.0.1", port: 0, version: "test", write, metrics });
    onTestFinished(async () => {
      await served.stop();
      await local.close();
    });
    const ask = async (path: string, token?: string, init: RequestInit = {}) => {
      const headers = { ...(token !== undefined && bearer(token)), "content-type": "application/json" };
      const answer = await fetch(served.url + path, { headers, ...init });
      const { error } = (await answer.json()) as { error?: { code: string; message: string } };
      return { status: answer.status, retryAfter: answer.headers.get("retry-after"), error };
    };
    const create = (token: string) =>
      ask(FORMS, token, { method: "POST", body: JSON.stringify({ name: "A", types: ["VIEW"] }) });
    const metric = async (line: string) => {
      const text = await (await fetch(served.metricsUrl!)).text();
      return Number(
        text
          .split("\n")
          .find((each) => each.startsWith(`${line} `))
          ?.split(" ")[1],
      );
    };
    return { ask, create, metric, lines };
  };
  onTestFinished(() => admin.close());
  return { database, name, url, clock, admin, createToken, startServer };
}

it("a token is refused by every server at once after it is revoked or has expired", async () => {
  const { clock, admin, createToken, startServer } = await open();
  const servers = [await startServer(), await startServer()];
  const revoked = await createToken(null);
  const expired = await createToken("2026-03-02T09:00:10.000Z");
  const statuses = async ({ token }: { token: string }) =>
    Promise.all(servers.map(async ({ ask }) => (await ask(FORMS, token)).status));
  for (let times = 0; times < 2; times++) {
    expect([await statuses(revoked), await statuses(expired)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
  }
  await admin.revokeToken(revoked.id);
  clock.now = new Date("2026-03-02T09:00:10.000Z");
  expect([await statuses(revoked), await statuses(expired)]).toEqual([
    [401, 401],
    [401, 401],
  ]);
  await expect
    .poll(async () => (await admin.listTokens()).map(({ lastUsedAt }) => lastUsedAt))
    .toEqual(["2026-03-02", "2026-03-02"]);
});

const UPGRADED = "a newer version of formctl has upgraded the store; nothing was written";
const INCOMPLETE = "tables of the store are missing; nothing was written";
const MISSING = "the store does not exist; nothing was written";

it.each([
  ["UPDATE meta SET value = '99'", "STORE_NEWER", UPGRADED, "UPDATE meta SET value = '1'"],
  ["ALTER TABLE meta RENAME TO former", "STORE_FOREIGN", INCOMPLETE, "ALTER TABLE former RENAME TO meta"],
  ["ALTER SCHEMA public RENAME TO former", "STORE_MISSING", MISSING, "ALTER SCHEMA former RENAME TO public"],
])("a server answers 503 after %s, logs it once, and recovers", async (change, code, message, repair) => {
  const { database, name, createToken, startServer } = await open();
  const { ask, lines } = await startServer();
  const { token } = await createToken(null);
  expect((await ask(FORMS, token)).status).toBe(200);
  await database.query(change, name);
  for (let times = 0; times < 5; times++)
    expect(await ask(FORMS, token)).toEqual({ status: 503, retryAfter: "1", error: { code, message } });
  expect((await ask("/readyz")).error).toEqual({ code: "NOT_READY", message });
  const log = () => lines.join("").trim().split("\n");
  await expect.poll(() => log().filter((line) => line.includes('"msg":"not ready"'))).toHaveLength(1);
  expect(log().filter((line) => line.includes('"err"'))).toHaveLength(1);
  expect(log().filter((line) => line.includes(`"code":"${code}","msg":"request"`))).toHaveLength(4);
  await database.query(repair, name);
  expect((await ask(FORMS, token)).status).toBe(200);
  await expect.poll(async () => (await ask("/readyz")).status).toBe(200);
});

it("a server whose user lacks a permission reads, refuses writes, and names the permission in its log", async () => {
  const { database, name, url, createToken, startServer } = await open();
  await database.query(
    "CREATE USER limited PASSWORD 'limited'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO limited",
    name,
  );
  const { ask, create, lines } = await startServer(url.replace("postgres:test-password", "limited:limited"));
  const { token } = await createToken(null);
  expect((await ask(FORMS, token)).status).toBe(200);
  const message = "the server lacks a permission of the database; nothing was written";
  for (let times = 0; times < 2; times++)
    expect(await create(token)).toEqual({ status: 503, retryAfter: null, error: { code: "STORE_DENIED", message } });
  const errors = () =>
    lines
      .join("")
      .split("\n")
      .filter((line) => line.includes("SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"));
  await expect.poll(errors).toHaveLength(1);
  await database.query("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited", name);
  expect((await create(token)).status).toBe(201);
});

it("a server is not ready while the database is down, stays alive, and is ready again afterwards", async () => {
  const { database, name, createToken, startServer } = await open();
  const { ask, metric, lines } = await startServer();
  const { token } = await createToken(null);
  expect([(await ask("/readyz")).status, (await ask(FORMS, token)).status]).toEqual([200, 200]);

  // PostgreSQL ends the connections. The next transaction gets another connection, and runs again if necessary.
  await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  expect((await ask(FORMS, token)).status).toBe(200);
  expect(await metric("formctl_store_retries_total")).not.toBeNaN();

  await database.stop();
  await expect.poll(async () => (await ask("/readyz")).status).toBe(503);
  const message = "the database of the store can't be reached; nothing was written";
  expect((await ask("/readyz")).error).toEqual({ code: "NOT_READY", message });
  expect((await ask("/livez")).status).toBe(200);
  expect(await ask(FORMS, token)).toEqual({
    status: 503,
    retryAfter: "1",
    error: { code: "STORE_UNREACHABLE", message },
  });
  expect(await metric('formctl_store_errors_total{code="STORE_UNREACHABLE"}')).toBe(1);
  // The log names the database without its password.
  expect(lines.join("")).toMatch(/"msg":"not ready"/);
  expect(lines.join("")).not.toContain("test-password");

  await database.start();
  const since = performance.now();
  await expect.poll(async () => (await ask("/readyz")).status, { interval: 100 }).toBe(200);
  expect((await ask(FORMS, token)).status).toBe(200);
  // The last result is reused for a second. A wait for the lost connections would take much longer.
  expect(performance.now() - since).toBeLessThan(15_000);
});
