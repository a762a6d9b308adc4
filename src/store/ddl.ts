/** Writes the tables and triggers of a store in the language of a database. */

import { type Table, tables } from "./tables.ts";
import type { Trigger } from "./triggers.ts";

export type Database = "sqlite" | "postgres";

/** Returns the statements that create a table and its indexes. */
export function ddl(name: keyof typeof tables, database: Database): string[] {
  const table: Table = tables[name];
  const { checks = [], indexes = [], postgresIndexes = [] } = table;
  const lines = [
    ...table.columns.split(",").map((column) => columnText(column.trim(), database)),
    ...keysOf(table, database),
    ...checks.map((check) => `CHECK (${check})`),
  ];
  const all = database === "postgres" ? [...indexes, ...postgresIndexes].map((text) => inOrder(text, table)) : indexes;
  return [
    `CREATE TABLE ${name} (\n  ${lines.join(",\n  ")}\n)${database === "sqlite" ? " STRICT" : ""}`,
    ...all.map((index) => `CREATE ${index}`),
  ];
}

function columnText(column: string, database: Database): string {
  const text = column.endsWith(" NULL") ? column.slice(0, -" NULL".length) : column.replace(/ (\w+)/, " $1 NOT NULL");
  if (database === "sqlite") return text;
  // "C" compares the bytes of UTF-8, as SQLite does. The order does not depend on the version of the operating system.
  return text.replace(" TEXT", ' TEXT COLLATE "C"').replace(" INTEGER", " BIGINT");
}

function keysOf(table: Table, database: Database): readonly string[] {
  if (database === "sqlite") return table.keys;
  const keys = table.keys.map((key) => inOrder(key, table));
  // Here `UNIQUE (id, org_id)` has the columns of the primary key.
  const repeated = keys[0]!.replace("PRIMARY KEY", "UNIQUE");
  return keys.filter((key) => key !== repeated);
}

/** Puts the organization before the other columns of a key or an index, except for the columns of a directory. */
function inOrder(text: string, { isDirectory = false }: Table): string {
  if (isDirectory) return text;
  return text.replaceAll(/(\w+) \(([\w, ]+)\)/g, (list, word: string, columns: string) => {
    const others = columns.split(", ").filter((column) => column !== "org_id");
    return isDirectoryName(word) ? list : `${word} (${["org_id", ...others].join(", ")})`;
  });
}

function isDirectoryName(word: string): boolean {
  return (tables as Record<string, Table>)[word]?.isDirectory ?? false;
}

/**
 * Returns the statements that create a trigger.
 *
 * @param functionSchema the schema of the function, which only PostgreSQL has. Default: the first schema of the search
 *   path
 */
export function triggerDdl(
  { name, on, when, ...action }: Trigger,
  database: Database,
  functionSchema?: string,
): string[] {
  if (database === "sqlite") {
    const statement = "refuse" in action ? `SELECT RAISE(ABORT, '${action.refuse}')` : action.run;
    return [`CREATE TRIGGER ${name} ${on}${when === undefined ? "" : `\n  WHEN ${when}`}\nBEGIN\n  ${statement};\nEND`];
  }
  const statement =
    "refuse" in action
      ? `RAISE EXCEPTION '${action.refuse}' USING ERRCODE = 'integrity_constraint_violation'`
      : action.run;
  const guarded = when === undefined ? `${statement};` : `IF ${when} THEN\n    ${statement};\n  END IF;`;
  // PostgreSQL continues with the returned row, and ignores it after the change.
  const row = on.includes(" DELETE ") ? "OLD" : "NEW";
  const full = `${functionSchema === undefined ? "" : `${functionSchema}.`}${name}`;
  return [
    `CREATE FUNCTION ${full}() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n  ${guarded}\n  RETURN ${row};\nEND $$`,
    `CREATE TRIGGER ${name} ${on} FOR EACH ROW EXECUTE FUNCTION ${full}()`,
  ];
}
