/** Copies all records of a store into an empty store. The two stores may be in different kinds of databases. */

import { createHash } from "node:crypto";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { OnProgress, StoreCounts } from "../local-service.ts";
import { ConstraintViolation, type Store, StoreError, type Tx } from "./store.ts";
import { columnsOf, TABLE_NAMES, type TableName } from "./tables.ts";

type Value = string | number | null;
export type Row = Record<string, Value>;

/**
 * Copies a consistent snapshot of `from` into `into` in one transaction. Before the commit, the copied records are read
 * again and compared with the originals by SHA-256. After an error, `into` is unchanged.
 *
 * @param onProgress counts each record twice: when it is written, and when it is compared
 * @throws StoreError STORE_EXISTS if `into` has an organization
 * @throws StoreError STORE_COPY_DIFFERS if the copied records differ, or if a key of `into` refuses a record
 */
export async function copyStore(from: Store, into: Store, onProgress?: OnProgress): Promise<StoreCounts> {
  return from.read((source) =>
    into.write(async (target) => {
      await refuseRecords(target);
      const rowCounts = new Map<TableName, number>();
      for (const table of TABLE_NAMES) rowCounts.set(table, await countRows(source, table));
      const total = 2 * [...rowCounts.values()].reduce((sum, count) => sum + count, 0);
      let done = 0;
      const onRows = (number: number) => onProgress?.((done += number), total);
      const digests = new Map<TableName, string>();
      for (const table of TABLE_NAMES) {
        const digest = new RowsDigest(columnsOf(table));
        await copyTable(source, target, table, (rows) => {
          rows.forEach((row) => digest.add(row));
          onRows(rows.length);
        });
        digests.set(table, digest.value());
      }
      for (const [table, digest] of digests) {
        if ((await digestTable(target, table, onRows)) !== digest) throw differs(table);
      }
      const count = (table: TableName) => rowCounts.get(table) ?? 0;
      return {
        organizations: count("organizations"),
        forms: count("forms"),
        layouts: count("layouts"),
        versions: count("layout_versions"),
        uploads: count("public_uploads"),
      };
    }),
  );
}

async function refuseRecords(target: Tx): Promise<void> {
  const organization = await target.first<{ key: string }>(sql`SELECT key FROM organizations ORDER BY key LIMIT 1`);
  if (!organization) return;
  throw new StoreError(
    "STORE_EXISTS",
    `the store already has records, for example the organization "${organization.key}"`,
    "A copy needs an empty store. Specify a new file, or a new database.",
  );
}

async function countRows(tx: Tx, table: TableName): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM ${raw(table)}`);
  return row?.total ?? 0;
}

/**
 * Copies the rows of a table in parts. The rows of `objects` are gathered first, because parents are inserted before
 * their children.
 *
 * @param onRows is called with the rows of each part
 * @param condition selects the rows. Default: all rows
 */
export async function copyTable(
  source: Tx,
  target: Tx,
  table: TableName,
  onRows: (rows: readonly Row[]) => void,
  condition?: Sql,
): Promise<void> {
  const objects: Row[] = [];
  for await (const rows of source.pages<Row>(table, columnsOf(table), condition)) {
    if (table === "objects") objects.push(...rows);
    else await insertRows(target, table, rows);
    onRows(rows);
  }
  if (table === "objects") await insertObjects(target, objects);
  if (table === "fields") await restoreFieldsVersions(source, target, condition);
}

/** Inserts the rows of a table. @throws StoreError STORE_COPY_DIFFERS if a key of the table refuses a row */
export async function insertRows(target: Tx, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = columnsOf(table);
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const part = rows.slice(start, start + ROWS_AT_ONCE);
    const values = part.map((row) => sql`(${join(columns.map((column) => row[column]))})`);
    try {
      await target.run(sql`INSERT INTO ${raw(`${table} (${columns.join(", ")})`)} VALUES ${join(values)}`);
    } catch (error) {
      throw error instanceof ConstraintViolation ? refused(table, error) : error;
    }
  }
}

const ROWS_AT_ONCE = 100;

/** Inserts parents before their children: the key of the table requires this order. */
async function insertObjects(target: Tx, objects: readonly Row[]): Promise<void> {
  const inserted = new Set<Value>([null]);
  let waiting = objects;
  while (waiting.length > 0) {
    const [ready, rest] = [[] as Row[], [] as Row[]];
    for (const object of waiting) (inserted.has(object["parent_object_id"]!) ? ready : rest).push(object);
    // If parents form a cycle, the objects are inserted in any order. The key of the database then refuses them.
    const next = ready.length > 0 ? ready : rest;
    await insertRows(target, "objects", next);
    for (const { id } of next) inserted.add(id!);
    waiting = ready.length > 0 ? rest : [];
  }
}

/** Writes the original `fields_version` of each object. A trigger has raised it at each insertion of a field. */
async function restoreFieldsVersions(source: Tx, target: Tx, condition: Sql | undefined): Promise<void> {
  const columns = ["org_id", "id", "fields_version"];
  for await (const rows of source.pages<Row>("objects", columns, condition)) {
    for (const { org_id, id, fields_version } of rows) {
      await target.run(
        sql`UPDATE objects SET fields_version = ${fields_version} WHERE org_id = ${org_id} AND id = ${id}`,
      );
    }
  }
}

async function digestTable(tx: Tx, table: TableName, onRows: (number: number) => void): Promise<string> {
  const columns = columnsOf(table);
  const digest = new RowsDigest(columns);
  for await (const rows of tx.pages<Row>(table, columns)) {
    rows.forEach((row) => digest.add(row));
    onRows(rows.length);
  }
  return digest.value();
}

/**
 * A digest of a set of rows: their number, and the exclusive or of their SHA-256. The order of the rows does not
 * matter, because databases order rows differently. Two equal rows would cancel each other, but no table contains equal
 * rows.
 */
class RowsDigest {
  readonly #columns: readonly string[];
  readonly #sum = Buffer.alloc(32);
  #count = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  add(row: Row): void {
    const text = JSON.stringify(this.#columns.map((column) => row[column] ?? null));
    const hash = createHash("sha256").update(text).digest();
    for (let index = 0; index < hash.length; index++) this.#sum[index]! ^= hash[index]!;
    this.#count++;
  }

  value(): string {
    return `${this.#count} ${this.#sum.toString("hex")}`;
  }
}

function differs(table: TableName): StoreError {
  return new StoreError(
    "STORE_COPY_DIFFERS",
    `the copied rows of the table ${table} differ from the original rows`,
    "Nothing was copied. Check the original: formctl local check",
  );
}

/**
 * Returns the error for a row that a key refuses. Either the original is damaged, or another process has written the
 * same records since {@link refuseRecords}.
 */
function refused(table: TableName, cause: ConstraintViolation): StoreError {
  return new StoreError(
    "STORE_COPY_DIFFERS",
    `a row of the table ${table} can't be copied: ${cause.message}`,
    "Nothing was copied. Check the original: formctl local check. Run no other copy into the same store.",
    { cause },
  );
}
