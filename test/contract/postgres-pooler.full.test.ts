/**
 * Runs the contract suite through pgbouncer in transaction mode: once without prepared statements, and once with them.
 * Only new versions of pgbouncer keep prepared statements, and the others are tested without them.
 */

import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Pooler, reasonWithoutPooler, startPooler } from "../faults/pgbouncer.ts";
import { postgresOfFile } from "../postgres.ts";
import { skipTests } from "../skip.ts";
import { temporaryFolder } from "../temporary.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile();

describe.each([
  { name: "without prepared statements", isPreparing: false },
  { name: "with prepared statements", isPreparing: true },
])("pgbouncer $name", ({ isPreparing }) => {
  const reason = reasonWithoutPooler(isPreparing);
  skipTests(reason);
  const folder = temporaryFolder();
  let pooler: Pooler | undefined;
  beforeAll(async () => {
    const server = serverOfFile();
    if (reason === undefined && server) pooler = await startPooler(folder.path, server, isPreparing);
  });
  afterAll(async () => {
    await pooler?.kill();
    folder.remove();
  });

  contract(engineOnPostgres(serverOfFile, { urlOf: (database) => pooler!.url(database) }));

  it("has run the transactions, and kept the prepared statements", async () => {
    const administrator = new Client({ connectionString: pooler!.url("pgbouncer") });
    await administrator.connect();
    const { rows } = await administrator.query<{ database: string; total_xact_count: string }>("SHOW STATS");
    const { rows: servers } = await administrator.query<{ prepared_statements?: number }>("SHOW SERVERS");
    await administrator.end();
    const ofTests = rows.filter(({ database }) => database.startsWith("test_"));
    expect(ofTests.reduce((sum, { total_xact_count: count }) => sum + Number(count), 0)).toBeGreaterThan(1_000);
    expect(servers.some(({ prepared_statements: count = 0 }) => count > 0)).toBe(isPreparing);
  });
});
