/** Compares the tables of a store on PostgreSQL with the tables that formctl creates. */

import { migrations } from "../migrations.ts";
import { type Connection, identifier } from "./connection.ts";
import { permitted } from "./errors.ts";
import type { PostgresSettings } from "./settings.ts";

/** A table, or a column, constraint, index or trigger of a table. */
type Part = { kind: string; table: string; name: string; definition: string };

/**
 * Returns the differences, one line each. They count as damage: a store with a dropped key would accept invalid
 * records.
 *
 * Each version of PostgreSQL prints definitions in its own way. So this function creates the expected tables as
 * temporary tables, reads their definitions, and rolls back the transaction.
 */
export async function schemaDifferences(connection: Connection, { name, schema }: PostgresSettings): Promise<string[]> {
  await connection.query("BEGIN");
  try {
    if (schema !== undefined) await connection.query(`SET LOCAL search_path = ${identifier(schema)}`);
    const found = await readParts(connection, "current_schema()::regnamespace");
    const { rows } = await connection.query<{ version: string }>("SELECT version()");
    const version = rows[0]?.version ?? "";
    const expected =
      expectedParts.get(version) ?? (await permitted(name, "create temporary tables", () => createParts(connection)));
    expectedParts.set(version, expected);
    return compare(expected, found);
  } finally {
    await connection.query("ROLLBACK");
  }
}

/** The parts that formctl creates, by the version of the server. */
const expectedParts = new Map<string, readonly Part[]>();

async function createParts(connection: Connection): Promise<Part[]> {
  await connection.query("SET LOCAL search_path = pg_temp");
  for (const migration of migrations) {
    for (const statement of migration("postgres", "pg_temp")) await connection.query(statement);
  }
  return readParts(connection, "pg_my_temp_schema()");
}

function compare(expected: readonly Part[], found: readonly Part[]): string[] {
  const idOf = ({ kind, table, name }: Part) => `${kind} ${table} ${name}`;
  const foundById = new Map(found.map((part) => [idOf(part), part]));
  const expectedIds = new Set(expected.map(idOf));
  const foundTables = new Set(found.map(({ table }) => table));
  const expectedTables = new Set(expected.map(({ table }) => table));
  const differences: string[] = [];
  for (const part of expected) {
    // The parts of a missing table are not reported separately.
    if (part.kind !== "table" && !foundTables.has(part.table)) continue;
    const same = foundById.get(idOf(part));
    if (!same) differences.push(`${textOf(part)} is missing`);
    else if (same.definition !== part.definition) {
      differences.push(`${textOf(part)} differs from the one that formctl creates`);
    }
  }
  for (const part of found) {
    if (expectedIds.has(idOf(part)) || (part.kind !== "table" && !expectedTables.has(part.table))) continue;
    differences.push(`${textOf(part)} was not created by formctl`);
  }
  return differences;
}

function textOf({ kind, table, name }: Part): string {
  return kind === "table" ? `the table ${table}` : `the ${kind} ${name} of ${table}`;
}

/** Reads the parts of all tables in a schema. @param schema the schema as an expression of SQL */
async function readParts(connection: Connection, schema: string): Promise<Part[]> {
  const { rows } = await connection.query<Part>(`
    WITH tables AS (
      SELECT oid, relname::text AS name, relkind FROM pg_class
      WHERE relnamespace = ${schema} AND relkind IN ('r', 'p', 'v', 'm', 'f'))
    SELECT 'table' AS kind, name AS table, '' AS name, relkind::text AS definition FROM tables
    UNION ALL
    SELECT 'column', t.name, a.attname::text,
           concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
                     (SELECT collname FROM pg_collation c WHERE c.oid = a.attcollation),
                     (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
                      WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum))
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'constraint', t.name, c.conname::text,
           concat_ws(' ', pg_get_constraintdef(c.oid, true), CASE WHEN EXISTS (
             SELECT 1 FROM pg_trigger g WHERE g.tgconstraint = c.oid AND g.tgenabled <> 'O') THEN 'disabled' END)
    FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid WHERE c.contype <> 'n'
    UNION ALL
    SELECT 'index', t.name, x.indexrelid::regclass::text,
           concat_ws(' ', pg_get_indexdef(x.indexrelid, 0, true), x.indisvalid)
    FROM tables t JOIN pg_index x ON x.indrelid = t.oid
    UNION ALL
    SELECT 'trigger', t.name, g.tgname::text, concat_ws(' ', pg_get_triggerdef(g.oid, true), g.tgenabled, p.prosrc)
    FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid JOIN pg_proc p ON p.oid = g.tgfoid WHERE NOT g.tgisinternal
    ORDER BY 1, 2, 3`);
  return rows.map((part) => ({ ...part, definition: part.definition.replaceAll(/\bpg_temp(?:_\d+)?\./g, "") }));
}
