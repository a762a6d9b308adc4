/** The contract of the service on the newest supported version of PostgreSQL. */

import { expect, it } from "vitest";
import { NEWEST_POSTGRES } from "../../src/store/postgres/errors.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { postgresOfFile } from "../postgres.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile();

contract(engineOnPostgres(serverOfFile));

it("runs on the newest supported version", async () => {
  const [version] = await serverOfFile().query<{ server_version: string }>("SHOW server_version");
  expect(version!.server_version).toMatch(new RegExp(`^${NEWEST_POSTGRES}\\.`));
});

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
