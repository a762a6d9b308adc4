/** The tables of a store on PostgreSQL: how they are created, checked and refused. */

import { type AddressInfo, connect, createServer } from "node:net";
import sql from "sql-template-tag";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";
import { emptyStore } from "../../../src/store/sqlite-schema.ts";
import type { StoreError } from "../../../src/store/store.ts";
import { META } from "../../../src/store/tables.ts";
import type { PostgresServer } from "../../postgres-server.ts";
import { postgresOfFile } from "../../postgres.ts";
import { SPLIT_TABLES, splitSchema } from "./partitions.ts";

const serverOfFile = await postgresOfFile();

let server: PostgresServer;
let database: string;
let url: string;
beforeEach(async () => {
  server = serverOfFile();
  database = await server.createDatabase();
  url = server.url(database);
});

const query = <Row extends object = object>(text: string) => server.query<Row>(text, database);
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

async function verify(at = url): Promise<string[]> {
  const store = openPostgres(at);
  try {
    return (await store.verify?.()) ?? [];
  } finally {
    await store.close();
  }
}

async function read(at = url): Promise<void> {
  const store = openPostgres(at);
  try {
    await store.read((tx) => tx.all(sql`SELECT id FROM organizations`));
  } finally {
    await store.close();
  }
}

/** Starts a proxy in front of the server, which changes its version. @returns the URL of the database through the proxy */
async function throughVersion(number: string): Promise<string> {
  const [real] = await query<{ server_version_num: string }>("SHOW server_version_num");
  const proxy = createServer((client) => {
    const socket = connect(server.port, "127.0.0.1");
    for (const each of [client, socket])
      each.on("error", () => {}).on("close", () => (client.destroy(), socket.destroy()));
    client.pipe(socket);
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1").replaceAll(real!.server_version_num, number);
      client.write(Buffer.from(text, "latin1"));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return url.replace(`:${server.port}/`, `:${(proxy.address() as AddressInfo).port}/`);
}

describe("creating a store", () => {
  it("succeeds once, and changes nothing afterwards", async () => {
    expect(await createPostgres(url)).toBe(true);
    expect(await createPostgres(url)).toBe(false);
    expect(await verify()).toEqual([]);
    await read();
  });

  it("succeeds exactly once if several processes try it at the same time, also in a new schema", async () => {
    for (const at of [url, `${url}?schema=own`]) {
      const created = await Promise.all(Array.from({ length: 5 }, () => createPostgres(at)));
      expect(created.filter(Boolean)).toEqual([true]);
      expect(await verify(at)).toEqual([]);
    }
  });

  it("changes nothing if it is interrupted", async () => {
    // The name of the last function is taken, so that the last statements fail.
    await query("CREATE FUNCTION contents_go_from_mutations() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'");
    await expect(createPostgres(url)).rejects.toThrow("already exists");
    expect(await query("SELECT 1 FROM pg_class WHERE relname = 'organizations'")).toEqual([]);
  });

  it("is refused in a schema with tables of another program", async () => {
    await query("CREATE TABLE customers (id TEXT)");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_FOREIGN"));
    await query("DROP TABLE customers; CREATE TABLE meta (key INT, value INT)");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_FOREIGN"));
    await query("DROP TABLE meta; CREATE TABLE meta (name TEXT)");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_FOREIGN"));
    await query("DROP TABLE meta; CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('a', '1')");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_FOREIGN"));
    await query("DELETE FROM meta; CREATE TABLE customers (id TEXT)");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_FOREIGN"));
  });

  it.each(["LATIN1", "SQL_ASCII"])("is refused in a database with the encoding %s", async (encoding) => {
    const name = `encoded_${encoding.toLowerCase()}`;
    await query(`CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0 LOCALE 'C'`);
    await expect(createPostgres(server.url(name))).rejects.toThrow(code("STORE_UNUSABLE"));
    expect(await server.query("SELECT 1 FROM pg_class WHERE relname = 'organizations'", name)).toEqual([]);
  });

  it("is refused on a server that is too old, with the supported versions", async () => {
    await expect(createPostgres(await throughVersion("130023"))).rejects.toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining("is PostgreSQL 13, and a store requires PostgreSQL 14 to 18") as string,
      hint: "Upgrade the server, or specify the URL of another server.",
    });
    expect(await query("SELECT 1 FROM pg_class WHERE relname = 'organizations'")).toEqual([]);
  });

  it.each(["140000", "190001"])("succeeds on a server of version %s", async (version) => {
    expect(await createPostgres(await throughVersion(version))).toBe(true);
  });

  it("uses the schema of the URL, next to other tables", async () => {
    await query("CREATE TABLE customers (id TEXT)");
    const own = `${url}?schema=own`;
    expect(await createPostgres(own)).toBe(true);
    expect(await verify(own)).toEqual([]);
    await read(own);
    await expect(read(url)).rejects.toThrow(code("STORE_FOREIGN"));
    expect(await query("SELECT 1 FROM own.organizations")).toEqual([]);
  });
});

describe("a user of the database", () => {
  const LIMITED = "limited";

  beforeEach(async () => {
    await query(`CREATE USER ${LIMITED} PASSWORD 'limited'`).catch(() => undefined);
  });

  const limited = () => url.replace("postgres:test-password", `${LIMITED}:limited`);

  /** Expects the refusal of `work`, and runs the GRANT of its hint. */
  async function grantFor(work: () => Promise<unknown>, permission: string): Promise<void> {
    const error = (await work().catch((refused: unknown) => refused)) as StoreError;
    expect(error).toMatchObject({ code: "STORE_DENIED", message: expect.stringContaining(permission) as string });
    expect(error.hint).toBe(`As the administrator of the database, run: GRANT ${permission} TO "${LIMITED}"`);
    await query(error.hint.slice(error.hint.indexOf("GRANT")));
  }

  it("gets each missing permission from the GRANT of an error", async () => {
    await query(`REVOKE CONNECT ON DATABASE ${database} FROM public; REVOKE ALL ON SCHEMA public FROM public`);
    const create = () => createPostgres(limited());
    await grantFor(create, `CONNECT ON DATABASE "${database}"`);
    await grantFor(create, 'USAGE ON SCHEMA "public"');
    await grantFor(create, 'USAGE, CREATE ON SCHEMA "public"');
    expect(await create()).toBe(true);
    expect(await verify(limited())).toEqual([]);
  });

  it("gets the permission to use tables of another user from the GRANT of an error", async () => {
    await createPostgres(url);
    const store = openPostgres(limited());
    const write = () => store.write((tx) => tx.run(sql`DELETE FROM organizations`));
    await query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${LIMITED}`);
    await read(limited());
    await grantFor(write, 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "public"');
    expect(await write()).toBe(0);
    // `local init` changes nothing, so it needs no other permission.
    expect(await createPostgres(limited())).toBe(false);
    await store.close();
  });

  it("must own the tables to finish their creation", async () => {
    await createPostgres(url);
    await query(`UPDATE ${META} SET value = '0'; GRANT ALL ON SCHEMA public TO ${LIMITED}`);
    await query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${LIMITED}`);
    await expect(createPostgres(limited())).rejects.toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringContaining("can't change the tables: must be owner of") as string,
    });
  });

  it("needs no permission outside of the schema", async () => {
    const own = `${limited()}?schema=own`;
    await grantFor(() => createPostgres(own), `CREATE ON DATABASE "${database}"`);
    await query(`REVOKE CREATE ON DATABASE ${database} FROM ${LIMITED}`);
    await query(`CREATE SCHEMA own AUTHORIZATION ${LIMITED}`);
    expect(await createPostgres(own)).toBe(true);
    expect(await verify(own)).toEqual([]);
  });

  it("needs a schema", async () => {
    await query("DROP SCHEMA public");
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_UNUSABLE"));
  });
});

describe("opening a store", () => {
  it("is refused for an empty and a missing database", async () => {
    await expect(read()).rejects.toThrow(code("STORE_MISSING"));
    await expect(read(server.url("none"))).rejects.toThrow(code("STORE_MISSING"));
  });

  it("is refused for a schema of a newer version, also while the store is open", async () => {
    await createPostgres(url);
    const store = openPostgres(url);
    await store.read(async () => undefined);
    await query(`UPDATE ${META} SET value = '99'`);
    await expect(store.read(async () => undefined)).rejects.toThrow(code("STORE_NEWER"));
    await expect(createPostgres(url)).rejects.toThrow(code("STORE_NEWER"));
    await store.close();
  });

  it("is refused for a wrong password and an unknown user, without printing the password", async () => {
    for (const wrong of [
      url.replace("test-password", "canary"),
      url.replace("postgres:test-password", "unknown_user:canary"),
    ]) {
      const error = await read(wrong).catch(String);
      expect(error).toContain("refuses the user or the password");
      expect(error).not.toContain("canary");
    }
  });

  it("is refused for a user without permissions", async () => {
    await createPostgres(url);
    await query("CREATE USER reader PASSWORD 'reader'").catch(() => undefined);
    await expect(read(url.replace("postgres:test-password", "reader:reader"))).rejects.toThrow(code("STORE_DENIED"));
  });
});

it("names the character U+0000, which a damaged original of a copy may contain", async () => {
  await createPostgres(url);
  const store = openPostgres(url);
  const insert = store.write((tx) => tx.run(sql`INSERT INTO organizations VALUES ('o', 'o', ${"a\0b"})`));
  await expect(insert).rejects.toMatchObject({ code: "STORE_UNUSABLE", message: expect.stringContaining("U+0000") });
  await store.close();
});

describe("the check of the tables", () => {
  it.each([
    ["DROP TABLE audit", ["the table audit is missing"]],
    ["CREATE TABLE more (id TEXT)", ["the table more was not created by formctl"]],
    ["DROP INDEX one_draft", ["the index one_draft of layout_versions is missing"]],
    ["DROP TRIGGER contents_stay ON layout_contents", ["the trigger contents_stay of layout_contents is missing"]],
    [
      "ALTER TABLE forms ALTER name DROP NOT NULL",
      ["the column name of forms differs from the one that formctl creates"],
    ],
    [
      'ALTER TABLE roles ALTER key TYPE TEXT COLLATE "und-x-icu"',
      ["the column key of roles differs from the one that formctl creates"],
    ],
    [
      "ALTER TABLE form_defaults DROP CONSTRAINT form_defaults_form_active_check",
      ["the constraint form_defaults_form_active_check of form_defaults is missing"],
    ],
    [
      "CREATE OR REPLACE FUNCTION contents_stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
      ["the trigger contents_stay of layout_contents differs from the one that formctl creates"],
    ],
  ])("reports %s", async (change, expected) => {
    await createPostgres(url);
    await query(change);
    expect(await verify()).toEqual(expected);
  });

  it("reports keys that are disabled", async () => {
    await createPostgres(url);
    await query("ALTER TABLE form_types DISABLE TRIGGER ALL");
    expect(await verify()).toContainEqual(expect.stringContaining("of form_types differs"));
  });
});

describe("the tables", () => {
  it("have the same columns, checks and foreign keys as those of SQLite", async () => {
    await createPostgres(url);
    await query("CREATE SCHEMA of_sqlite");
    const db = emptyStore();
    const created = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all();
    db.close();
    // PostgreSQL executes the statements of SQLite too, and prints both schemas in the same words.
    const statements = created.map(({ sql: text }) =>
      String(text)
        .replace(/\) STRICT$/, ")")
        .replaceAll(" INTEGER ", " BIGINT "),
    );
    await query(["SET search_path = of_sqlite", ...statements].join(";"));
    const [own, ofSqlite] = [await describeTables("public"), await describeTables("of_sqlite")];
    expect(own).toEqual(ofSqlite);
    expect(own.length).toBeGreaterThan(250);
  });

  it("have keys that begin with the organization, so that they can be split by it", async () => {
    for (const statement of splitSchema(4)) await query(statement);
    const split = await query<{ name: string }>("SELECT relname AS name FROM pg_class WHERE relkind = 'p'");
    expect(split.map(({ name }) => name).toSorted()).toEqual(SPLIT_TABLES.toSorted());
  });
});

/**
 * Describes the columns, checks and foreign keys of all tables. The organization is left out of foreign keys of several
 * columns: in PostgreSQL, each of them has it.
 */
async function describeTables(schema: string): Promise<string[]> {
  const rows = await query<{ text: string }>(`
    SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, column_default,
                     CASE is_nullable WHEN 'YES' THEN 'NULL' END) AS text
    FROM information_schema.columns WHERE table_schema = '${schema}'
    UNION ALL
    SELECT concat_ws(' ', t.relname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
    WHERE k.contype = 'c' AND t.relnamespace = '${schema}'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', t.relname, p.relname, 'on delete', k.confdeltype, 'on update', k.confupdtype,
                     string_agg(concat_ws(' ', a.attname, b.attname), ', ' ORDER BY a.attname))
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
      CROSS JOIN unnest(k.conkey, k.confkey) AS pair (own, other)
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = pair.own
      JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = pair.other
    WHERE k.contype = 'f' AND t.relnamespace = '${schema}'::regnamespace
      AND (cardinality(k.conkey) = 1 OR a.attname <> 'org_id')
    GROUP BY k.oid, t.relname, p.relname`);
  return rows.map(({ text }) => text).toSorted();
}
