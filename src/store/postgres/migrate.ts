/** Creates and migrates the tables of a store on PostgreSQL. Refuses the tables of other programs. */

import { migrations, SCHEMA_VERSION } from "../migrations.ts";
import { StoreError } from "../store.ts";
import { META, VERSION_KEY } from "../tables.ts";
import { type Connection, identifier, literal } from "./connection.ts";
import {
  denied,
  isCreatedMeanwhile,
  isDenied,
  NEWEST_POSTGRES,
  OLDEST_POSTGRES,
  permitted,
  schemaOf,
} from "./errors.ts";
import type { PostgresSettings } from "./settings.ts";

/** The version of a schema whose creation was interrupted. */
const INCOMPLETE = 0;

/** How long a migration waits for another process, in milliseconds. */
const LOCK_TIMEOUT_MS = 30_000;

/** How often a migration begins again because another process has created the same tables or the same schema. */
const MAX_REPETITIONS = 5;

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
 * Runs the missing migrations in one transaction. If two processes migrate at the same time, the second process waits.
 * Then it finds no missing migrations.
 *
 * - If there are tables, the second process waits for the row with the version.
 * - If there are none, it waits for the name of the first table, and fails when the first process has committed. Then it
 *   begins again.
 *
 * Some distributed databases commit each statement that creates a table. There, an interrupted creation leaves some of
 * the tables, and the next call creates the others.
 */
async function migrate(connection: Connection, settings: PostgresSettings, how: { create: boolean }): Promise<boolean> {
  for (let repetitions = 0; ; repetitions++) {
    await connection.queryAll(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    try {
      const isNew = await migrateInTransaction(connection, settings, how);
      await connection.query("COMMIT");
      return isNew;
    } catch (error) {
      await connection.query("ROLLBACK").catch(() => undefined);
      if (!isCreatedMeanwhile(error) || repetitions === MAX_REPETITIONS) throw error;
    }
  }
}

async function migrateInTransaction(
  connection: Connection,
  { name, schema }: PostgresSettings,
  { create }: { create: boolean },
): Promise<boolean> {
  if (schema !== undefined) {
    if (create && !(await hasSchema(connection, schema)))
      await permitted(name, "create the schema", () => connection.query(`CREATE SCHEMA ${identifier(schema)}`));
    await connection.query(`SET LOCAL search_path = ${identifier(schema)}`);
  }
  const version = await readVersion(connection, name);
  const isNew = version === undefined || version === INCOMPLETE;
  if (version === undefined) await requireUsage(connection, name);
  if (isNew && !create) throw missing(name, version);
  if (isNew) await requireEncoding(connection, name);
  if (version === undefined) {
    await permitted(name, "create tables", () => runMigrations(connection, undefined));
    return true;
  }
  if (version === SCHEMA_VERSION) return false;
  return asOwner(name, async () => {
    await connection.query(`UPDATE ${META} SET value = value WHERE key = ${literal(VERSION_KEY)}`);
    // Another process may have migrated the tables meanwhile.
    const current = await readVersion(connection, name);
    await runMigrations(connection, current);
    return current === INCOMPLETE;
  });
}

/** @param version the current version; undefined if there are no tables */
async function runMigrations(connection: Connection, version: number | undefined): Promise<void> {
  if (version === SCHEMA_VERSION) return;
  const statements = migrations.slice(version).flatMap((migration) => migration("postgres"));
  for (const [index, statement] of statements.entries()) {
    await connection.query(version === INCOMPLETE ? repeatable(statement) : statement);
    // The first statement creates the table for this version. The version shows whose tables the others are.
    if ((version ?? INCOMPLETE) === INCOMPLETE && index === 0) await writeVersion(connection, INCOMPLETE);
  }
  await writeVersion(connection, SCHEMA_VERSION);
}

/** Runs `work`, which only the owner of the tables may do. */
async function asOwner<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDenied(error)) throw error;
    throw new StoreError(
      "STORE_DENIED",
      `the user of ${name} can't change the tables: ${error.message}`,
      "Upgrade the tables as their owner: formctl local init --store postgres://OWNER@HOST/DATABASE",
      { cause: error },
    );
  }
}

/** Changes a statement that creates something, so that it also succeeds after an interrupted creation. */
function repeatable(statement: string): string {
  return statement
    .replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /, "CREATE $1 IF NOT EXISTS ")
    .replace(/^CREATE (FUNCTION|TRIGGER) /, "CREATE OR REPLACE $1 ");
}

async function writeVersion(connection: Connection, version: number): Promise<void> {
  await connection.query(
    `INSERT INTO ${META} (key, value) VALUES (${literal(VERSION_KEY)}, '${version}')
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
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

/** Requires the permission to use the schema. Without it, the schema looks empty. */
async function requireUsage(connection: Connection, name: string): Promise<void> {
  const { rows } = await connection.query(
    `SELECT 1 FROM pg_namespace
     WHERE current_schema() IS NULL AND nspname = ${literal(schemaOf(name))} AND NOT has_schema_privilege(oid, 'USAGE')`,
  );
  if (rows.length > 0) throw denied(name, "use the schema");
}

/** Returns the version of the schema; undefined if there are no tables. @throws StoreError */
async function readVersion(connection: Connection, name: string): Promise<number | undefined> {
  const { rows: tables } = await connection.query<{ table: string; columns: string }>(`
    SELECT c.relname AS table,
           string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    GROUP BY c.relname ORDER BY c.relname`);
  const [first] = tables;
  if (first === undefined) return undefined;
  const isOurs = tables.some(({ table, columns }) => table === META && columns === "key text, value text");
  const [meta] = isOurs
    ? (
        await connection.query<{ value: string | null; count: number }>(
          `SELECT (SELECT value FROM ${META} WHERE key = ${literal(VERSION_KEY)}) AS value,
                  (SELECT count(*) FROM ${META}) AS count`,
        )
      ).rows
    : [];
  // The creation was interrupted after its first statement.
  if (meta?.count === 0 && tables.length === 1) return INCOMPLETE;
  const version = Number(meta?.value ?? NaN);
  if (!(version >= INCOMPLETE)) {
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

function missing(name: string, version: number | undefined): StoreError {
  return version === INCOMPLETE
    ? new StoreError("STORE_MISSING", `the creation of ${name} was interrupted`, "Finish it: formctl local init")
    : new StoreError("STORE_MISSING", `${name} contains no store`, "Create one: formctl local init");
}
