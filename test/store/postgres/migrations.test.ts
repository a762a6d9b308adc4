/** Checks that a PostgreSQL store of an earlier schema is migrated to the current schema without loss. */

import sql from "sql-template-tag";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { migrations, SCHEMA_VERSION } from "../../../src/store/migrations.ts";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";
import type { Store } from "../../../src/store/store.ts";
import { META, VERSION_KEY } from "../../../src/store/tables.ts";
import { postgresOfFile } from "../../postgres.ts";
import { soundRecords } from "../sound-store.ts";

vi.mock(import("../../../src/store/migrations.ts"), async (original) => {
  const { withInvented } = await import("../invented-migration.ts");
  return withInvented(original);
});

const serverOfFile = await postgresOfFile();

let database: string;
beforeEach(async () => {
  const server = serverOfFile();
  database = await server.createDatabase();
  const version = `INSERT INTO ${META} VALUES ('${VERSION_KEY}', '1')`;
  await server.query([...migrations[0]!("postgres"), version, soundRecords].join(";\n"), database);
});

function open(): Store {
  const store = openPostgres(serverOfFile().url(database));
  onTestFinished(() => store.close());
  return store;
}

const version = () => serverOfFile().query(`SELECT value FROM ${META}`, database);
const colors = (store: Store) => store.read((tx) => tx.all(sql`SELECT id, color FROM forms ORDER BY id`));
const GRAY = [
  { id: "frm_1", color: "gray" },
  { id: "frm_2", color: "gray" },
];

it("migrates the tables once, before the first transactions of several processes", async () => {
  const found = await Promise.all(Array.from({ length: 5 }, () => colors(open())));
  expect(found).toEqual(Array.from({ length: 5 }, () => GRAY));
  expect(await version()).toEqual([{ value: String(SCHEMA_VERSION) }]);
});

it("leaves the schema that the check of the tables expects", async () => {
  expect(await createPostgres(serverOfFile().url(database))).toBe(false);
  const store = open();
  expect(await store.verify?.()).toEqual([]);
  await serverOfFile().query("ALTER TABLE forms DROP COLUMN color", database);
  expect(await store.verify?.()).toEqual(["the column color of forms is missing"]);
});

it("changes nothing if a migration fails", async () => {
  await serverOfFile().query("ALTER TABLE forms ADD COLUMN color INT", database);
  await expect(colors(open())).rejects.toThrow("already exists");
  expect(await version()).toEqual([{ value: "1" }]);
});

it("names the owner if the user can't change the tables of an earlier schema", async () => {
  const server = serverOfFile();
  const rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited";
  await server.query(`CREATE USER limited PASSWORD 'limited'; ${rights}`, database);
  const store = openPostgres(server.url(database).replace("postgres:test-password", "limited:limited"));
  onTestFinished(() => store.close());
  await expect(colors(store)).rejects.toMatchObject({
    code: "STORE_DENIED",
    message: expect.stringContaining("can't change the tables: must be owner of") as string,
    hint: expect.stringContaining("as their owner: formctl local init") as string,
  });
  expect(await version()).toEqual([{ value: "1" }]);
});
