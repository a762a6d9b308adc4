/** Creates and migrates the tables of a store on PostgreSQL. Refuses the tables of other programs. */

import { migrations, SCHEMA_VERSION } from "../migrations.ts";
import { StoreError } from "../store.ts";
import { META, VERSION_KEY } from "../tables.ts";
import { type Connection, identifier, literal } from "./connection.ts";
import { NEWEST_POSTGRES, OLDEST_POSTGRES } from "./errors.ts";
import type { PostgresSettings } from "./settings.ts";

/** Identifies the lock of migrations among the locks of other programs: "fctl" in ASCII. */
const LOCK_KEY = 0x66_63_74_6c;

/** How long a migration waits for another process, in milliseconds. */
const LOCK_TIMEOUT_MS = 30_000;

/**
 * Creates the tables if there are none, and runs the missing migrations.
 *
 * @returns whether the tables were created
 * @throws StoreError if the server is too old, or if the schema contains other tables or was created by a newer formctl
 */
export async function createStore(connection: Connection, settings: PostgresSettings): Promise<boolean> {
  await requireVersion(connection, settings.name);
  return migrate(connection, settings, { create: true });
}

/**
 * Runs the missing migrations.
 *
 * @throws StoreError if the tables of formctl are missing, or were created by a newer formctl
 */
export async function requireStore(connection: Connection, settings: PostgresSettings): Promise<void> {
  await migrate(connection, settings, { create: false });
}

/**
 * Runs the missing migrations in one transaction with a lock. If two processes migrate at the same time, the second
 * process waits. Then it finds no missing migrations.
 */
async function migrate(
  connection: Connection,
  { name, schema }: PostgresSettings,
  { create }: { create: boolean },
): Promise<boolean> {
  await connection.queryAll(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${LOCK_KEY})`);
    if (schema !== undefined) {
      if (create && !(await hasSchema(connection, schema)))
        await connection.query(`CREATE SCHEMA ${identifier(schema)}`);
      await connection.query(`SET LOCAL search_path = ${identifier(schema)}`);
    }
    const version = await readVersion(connection, name);
    if (version === 0 && !create) throw missing(name);
    if (version === 0) await requireEncoding(connection, name);
    for (const migration of migrations.slice(version)) {
      for (const statement of migration("postgres")) await connection.query(statement);
    }
    await connection.query(
      `INSERT INTO ${META} (key, value) VALUES (${literal(VERSION_KEY)}, '${SCHEMA_VERSION}')
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    );
    await connection.query("COMMIT");
    return version === 0;
  } catch (error) {
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Requires a supported version of the server. A newer version may work, so only an older version is refused. */
async function requireVersion(connection: Connection, name: string): Promise<void> {
  const { rows } = await connection.query<{ server_version_num: string }>("SHOW server_version_num");
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version >= OLDEST_POSTGRES) return;
  throw new StoreError(
    "STORE_UNUSABLE",
    `the server of ${name} is PostgreSQL ${version}, and a store requires PostgreSQL ${OLDEST_POSTGRES} to ${NEWEST_POSTGRES}`,
    "Upgrade the server, or specify the URL of another server.",
  );
}

/** Requires UTF8, the only encoding that has every character. */
async function requireEncoding(connection: Connection, name: string): Promise<void> {
  const { rows } = await connection.query<{ server_encoding: string }>("SHOW server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding === "UTF8") return;
  throw new StoreError(
    "STORE_UNUSABLE",
    `${name} has the encoding ${encoding}, and a store requires UTF8`,
    "Create another database: createdb --encoding=UTF8 --template=template0 --locale=C DATABASE",
  );
}

/**
 * Whether the schema exists. `CREATE SCHEMA IF NOT EXISTS` is not used: it needs a permission even for an existing
 * schema.
 */
async function hasSchema(connection: Connection, schema: string): Promise<boolean> {
  const { rows } = await connection.query(`SELECT 1 FROM pg_namespace WHERE nspname = ${literal(schema)}`);
  return rows.length > 0;
}

/** Returns the version of the schema; 0 if there are no tables. @throws StoreError */
async function readVersion(connection: Connection, name: string): Promise<number> {
  const { rows: tables } = await connection.query<{ table: string; columns: string }>(`
    SELECT c.relname AS table, string_agg(a.attname, ' ') AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    GROUP BY c.relname ORDER BY c.relname`);
  const [first] = tables;
  if (first === undefined) return 0;
  const meta = tables.find(({ table }) => table === META);
  const columns = meta?.columns.split(" ") ?? [];
  const isOurs = columns.includes("key") && columns.includes("value");
  const stored = isOurs
    ? await connection.query<{ value: string }>(
        `SELECT value::text FROM ${META} WHERE key::text = ${literal(VERSION_KEY)}`,
      )
    : undefined;
  const version = Number(stored?.rows[0]?.value ?? 0);
  if (!(version >= 1)) {
    throw new StoreError(
      "STORE_FOREIGN",
      `${name} contains tables of another program, such as ${first.table}`,
      "Specify another database, or another schema of this database: add schema=NAME to the URL.",
    );
  }
  if (version <= SCHEMA_VERSION) return version;
  throw new StoreError(
    "STORE_NEWER",
    `${name} was written by a newer formctl (schema ${version}; this version supports ${SCHEMA_VERSION})`,
    "Upgrade formctl, or specify another store with --store.",
  );
}

function missing(name: string): StoreError {
  return new StoreError("STORE_MISSING", `${name} contains no store`, "Create one: formctl local init");
}
