/** Counts the round trips between `formctl serve` and the database, on the wire. */

import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serviceHandler } from "../../../src/composition/serve.ts";
import { openLocalService } from "../../../src/engine/local.ts";
import type { LocalService } from "../../../src/local-service.ts";
import { createPostgres, openPostgres, SERVING } from "../../../src/store/postgres/postgres.ts";
import { PERMISSIONS } from "../../../src/schemas/words.ts";
import { contractOrganizations } from "../../contract/organizations.ts";
import { SEEDING } from "../../contract/engine-provider.ts";
import { postgresOfFile } from "../../postgres.ts";

const serverOfFile = await postgresOfFile();

/** Counts how often the client sends something after an answer of the database. */
async function startCounter(port: number): Promise<{ port: number; trips: () => number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    let isAnswered = true;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => (client.destroy(), database.destroy()));
    }
    client.on("data", (bytes) => {
      if (isAnswered) trips++;
      isAnswered = false;
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      isAnswered = true;
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    trips: () => trips,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let counter: Awaited<ReturnType<typeof startCounter>>;
let local: LocalService;
let ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; trips: number; body: any }>;

beforeAll(async () => {
  const server = serverOfFile();
  const database = await server.createDatabase();
  await createPostgres(server.url(database));
  counter = await startCounter(server.port);
  const url = server.url(database).replace(`:${server.port}/`, `:${counter.port}/`);
  local = openLocalService({ ...SEEDING, store: openPostgres(url, SERVING) });
  await local.seed(contractOrganizations);
  const { token } = await local.createToken({ name: "t", permissions: PERMISSIONS, expiresAt: null, organization: "northwind" });
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  ask = async (method, path, body) => {
    const before = counter.trips();
    const response = await handler(
      new Request(`http://localhost/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    // A statement that the request does not wait for counts too.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { status: response.status, trips: counter.trips() - before, body: text && JSON.parse(text) };
  };
});
afterAll(async () => {
  await local.close();
  await counter.close();
});

it("shows", async () => {
  const forms = "/custom-modules/staffing/objects/candidate/forms";
  const show = async (method: string, path: string, body?: unknown) => {
    const got = await ask(method, path, body);
    console.log(method, path, got.status, got.trips, got.status >= 400 ? JSON.stringify(got.body) : "");
    return got.body;
  };
  await show("GET", forms);
  await show("GET", forms);
  const created = await show("POST", forms, { name: "One", types: ["VIEW"] });
  await show("GET", forms);
  await show("GET", forms);
  await show("GET", `${forms}/${created.data.id}`);
  await show("GET", `${forms}/${created.data.id}`);
  await show("PATCH", `${forms}/${created.data.id}`, { name: "Two" });
  await show("GET", `${forms}/${created.data.id}`);
  expect(1).toBe(1);
});
