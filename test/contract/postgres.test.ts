/** The contract of the service on PostgreSQL. */

import { expect, it } from "vitest";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { postgresOfFile } from "../postgres.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile();

contract(engineOnPostgres(serverOfFile));

it("leaves the tables of its databases as formctl creates them", async () => {
  const server = serverOfFile();
  const databases = await server.query<{ datname: string }>("SELECT datname FROM pg_database WHERE datname ~ '^test_'");
  expect(databases).not.toEqual([]);
  for (const { datname } of databases) {
    const store = openPostgres(server.url(datname));
    expect(await store.verify!()).toEqual([]);
    await store.close();
  }
});
