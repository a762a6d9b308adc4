/** The contract of the service on the newest supported version of PostgreSQL, and the constructs of its statements. */

import { afterAll, describe, expect, it } from "vitest";
import { copyStoreTo } from "../../src/composition/local-store.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { NEWEST_POSTGRES } from "../../src/store/postgres/errors.ts";
import { createPostgres, openPostgres } from "../../src/store/postgres/postgres.ts";
import { tables } from "../../src/store/tables.ts";
import { triggers } from "../../src/store/triggers.ts";
import { postgresOfFile } from "../postgres.ts";
import { SEEDING } from "./engine-provider.ts";
import { contractOrganizations } from "./organizations.ts";
import { constructsOf, constructsOfTransactions, recordStatements } from "./postgres-constructs.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile();
const recorder = recordStatements();
afterAll(() => recorder.stop());

contract(engineOnPostgres(serverOfFile));

it("runs on the newest supported version", async () => {
  const [version] = await serverOfFile().query<{ server_version: string }>("SHOW server_version");
  expect(version!.server_version).toMatch(new RegExp(`^${NEWEST_POSTGRES}\\.`));
});

/**
 * The statements with constructs that not all engines accept. docs/operating.md ("Engines") lists what they prevent. An
 * exception that is no longer needed fails the test too.
 */
const EXCEPTIONS = {
  collation: Object.keys(tables).map((table) => `CREATE TABLE ${table}`),
  "function of the database": triggers.map(({ name }) => `CREATE FUNCTION ${name}`),
  trigger: triggers.map(({ name }) => `CREATE TRIGGER ${name}`),
  "INSERT of selected rows": ["INSERT INTO file_trash"],
  "DDL in one transaction with data": ["INSERT INTO meta"],
};
/** Those of `local check`, which compares the tables with new ones, and of `local copy`, which reads its copy again. */
const EXCEPTIONS_OF_COMMANDS = {
  "temporary table": ["SET LOCAL search_path"],
  "cursor outside of a read-only transaction": ["DECLARE pages_"],
};

const sorted = (exceptions: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(exceptions).map(([construct, subjects]) => [construct, subjects.toSorted()]));

describe("the statements", () => {
  it("of all operations have only constructs that all engines accept, with exceptions", () => {
    expect(recorder.found()).toEqual(sorted(EXCEPTIONS));
    expect(recorder.count()).toBeGreaterThan(200);
  });

  it("of the commands on a whole store have two further exceptions", async () => {
    const server = serverOfFile();
    const [from, into] = [server.url(await server.createDatabase()), server.url(await server.createDatabase())];
    await createPostgres(from);
    const local = openLocalService({ ...SEEDING, store: openPostgres(from) });
    await local.seed(contractOrganizations);
    await local.check();
    await local.close();
    const store = openPostgres(from);
    await store.verify!();
    await store.close();
    await copyStoreTo({ from, into }, {}, () => {});
    expect(recorder.found()).toEqual(sorted({ ...EXCEPTIONS, ...EXCEPTIONS_OF_COMMANDS }));
  });

  it.each([
    ["advisory lock", "SELECT pg_try_advisory_lock(1)"],
    ["trigger", "CREATE TRIGGER t BEFORE UPDATE ON forms"],
    ["function of the database", "CREATE OR REPLACE FUNCTION f() RETURNS trigger"],
    ["collation", 'SELECT name COLLATE "C" FROM forms'],
    ["lock of rows", "SELECT id FROM organizations WHERE id = $1\n FOR NO KEY UPDATE"],
    ["lock of a table", "LOCK TABLE meta"],
    [
      "subquery in the values of an INSERT",
      "INSERT INTO audit (seq) VALUES ((SELECT audit_seq FROM organization_state))",
    ],
    ["INSERT of selected rows", "INSERT INTO file_trash (path) SELECT path FROM public_uploads"],
    ["write inside a query", "WITH form AS (DELETE FROM forms RETURNING id) SELECT id FROM form"],
    ["next number from a maximum", "SELECT COALESCE(MAX(seq), 0) + 1 FROM audit"],
    ["next number from a maximum", "SELECT MAX(a.seq) + 1 FROM audit a"],
    ["sequence", "SELECT nextval('ids')"],
    ["temporary table", "CREATE TEMPORARY TABLE t (id TEXT)"],
    ["state of a session", "SET search_path = other"],
    ["state of a session", "SELECT set_config('search_path', 'other', false)"],
  ])("with a construct are found: %s", (construct, statement) => {
    expect(constructsOf(statement)).toEqual([construct]);
  });

  it("of a transaction are found: cursors, and DDL with data", () => {
    const cursor = "DECLARE pages CURSOR FOR SELECT id FROM forms";
    const reads = ["BEGIN ISOLATION LEVEL repeatable read READ ONLY", cursor, "COMMIT"];
    const writes = ["BEGIN", "UPDATE meta SET value = '2'", cursor, "ALTER TABLE forms ADD color TEXT", "COMMIT"];
    expect(constructsOfTransactions([...reads, "CREATE TABLE t (id TEXT)", ...writes])).toEqual([
      { construct: "cursor outside of a read-only transaction", statement: cursor },
      { construct: "DDL in one transaction with data", statement: "ALTER TABLE forms ADD color TEXT" },
    ]);
  });
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
