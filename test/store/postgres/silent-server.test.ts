/** A program at the address of the database that accepts every login, and then does not answer. */

import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import sql from "sql-template-tag";
import { expect, it, onTestFinished } from "vitest";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";

/** "AuthenticationOk" and "ReadyForQuery". */
const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
const BEGIN_TIMEOUT_MS = 200;
/** Long enough for a busy machine, and shorter than the timeout of a later statement. */
const LIMIT_MS = 10_000;

async function startSilentServer(): Promise<{ url: string; logins: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.write(LOGGED_IN));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/db`;
  return { url, logins: () => sockets.size };
}

const outcomeOf = (work: Promise<unknown>) =>
  Promise.race([work.catch((error: unknown) => error), setTimeout(LIMIT_MS, "still waits", { ref: false })]);

const UNREACHABLE = {
  code: "STORE_UNREACHABLE",
  message: expect.stringContaining("the server did not answer a statement within 0.2 seconds") as string,
};

it.each(["read", "write"] as const)("a %s of a silent database ends, and is not repeated", async (kind) => {
  const { url, logins } = await startSilentServer();
  const store = openPostgres(url, { beginTimeoutMs: BEGIN_TIMEOUT_MS });
  expect(await outcomeOf(store[kind]((tx) => tx.first(sql`SELECT 1`)))).toMatchObject(UNREACHABLE);
  expect(logins()).toBe(1);
  expect(await outcomeOf(store.close())).toBeUndefined();
});

it("the creation and the check of tables in a silent database end", async () => {
  const { url } = await startSilentServer();
  expect(await outcomeOf(createPostgres(url, { beginTimeoutMs: BEGIN_TIMEOUT_MS }))).toMatchObject(UNREACHABLE);
  const store = openPostgres(url, { beginTimeoutMs: BEGIN_TIMEOUT_MS });
  expect(await outcomeOf(store.verify!())).toMatchObject(UNREACHABLE);
});
