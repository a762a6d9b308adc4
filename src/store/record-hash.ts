/**
 * Computes and verifies hashes of records to detect damage: SQLite has no checksums of its own.
 *
 * The hash need not detect manipulation, so it is not cryptographic. `node:crypto` takes too long to load for a short
 * command.
 */

import { StoreError } from "./store.ts";

type Value = string | number | bigint | null;

/** The hashed columns of each table: the columns that are always written together with the hash. */
export const HASHED = {
  forms: "id org_id object_id name is_active is_public public_token config created_at updated_at",
  layouts: "id org_id surface target target_key owner_form_id name metadata created_at",
  layout_versions:
    "id org_id layout_id number supported_modes content_sha256 state validation source_version_id created_at published_at",
  fields: "id key name type is_required default_value options config value_count",
  custom_fields: "id key name type is_required default_value options config value_count",
  api_tokens: "id org_id name token_sha256 last4 permissions created_at expires_at",
  mutations: "org_id operation scope client_mutation_id body_sha256 response content_sha256 created_at",
  migration_entries: "id org_id position name entry",
} as const;

export type HashedTable = keyof typeof HASHED;

const COLUMNS = Object.fromEntries(
  Object.entries(HASHED).map(([table, columns]) => [table, columns.split(" ")]),
) as Record<HashedTable, string[]>;

/** The names of records in error messages. */
const NOUNS: Record<HashedTable, string> = {
  forms: "form",
  layouts: "layout",
  layout_versions: "layout version",
  fields: "field",
  custom_fields: "custom field",
  api_tokens: "token",
  mutations: "stored response",
  migration_entries: "entry in the record of migrations",
};

/** Returns the hashed columns of a table as a list for SQL. */
export function hashedColumns(table: HashedTable): string {
  return COLUMNS[table].join(", ");
}

/** Returns the hash of a record. The record must have the hashed columns of its table. */
export function recordHash(table: HashedTable, record: object): string {
  const values = record as Record<string, Value>;
  return hashOf(COLUMNS[table].map((column) => values[column] ?? null));
}

/** An odd multiplier makes each step a bijection. So a change of one character changes both `high` and `low`. */
const HIGH = -1_640_531_535;
const LOW = 1_597_334_677;

/** Returns a hash of 53 bits (based on cyrb53, public domain). It detects practically every change. */
export function hashOf(values: readonly Value[]): string {
  let high = -559_038_737;
  let low = 1_103_547_991;
  for (const value of values) {
    const text = typeof value === "string" ? value : String(value);
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, HIGH);
      low = Math.imul(low ^ unit, LOW);
    }
    // A mark ends each value. Without marks, the values "ab", "c" and "a", "bc" would have the same hash. The mark of
    // null differs from the mark of a text.
    const end = value === null ? 65_536 : 65_537;
    high = Math.imul(high ^ end, HIGH);
    low = Math.imul(low ^ end, LOW);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return ((low >>> 0) % 2 ** 21).toString(16).padStart(6, "0") + (high >>> 0).toString(16).padStart(8, "0");
}

/**
 * Compares each record with its hash. Also compares the columns in `asked` with the values of the query, because a
 * damaged index can return a wrong record.
 *
 * @throws StoreError STORE_CORRUPT with the name of the first damaged record
 */
export function verifyRecords<Row extends object>(
  table: HashedTable,
  rows: readonly Row[],
  asked: Readonly<Record<string, Value>> = {},
): Row[] {
  const conditions = Object.entries(asked);
  for (const row of rows) {
    const record = row as Record<string, unknown>;
    // Here an absent column does not count as null: damage may have changed its name in the schema.
    const isSound =
      record["record_hash"] === hashOf(COLUMNS[table].map((column) => record[column] as Value)) &&
      conditions.every(([column, value]) => record[column] === value);
    if (!isSound) throw corruptRow(table, String(record["id"] ?? record["client_mutation_id"]));
  }
  return [...rows];
}

/** Same as {@link verifyRecords}, for one record or none. */
export function verifyRecord<Row extends object>(
  table: HashedTable,
  row: Row | undefined,
  asked?: Readonly<Record<string, Value>>,
): Row | undefined {
  return row && verifyRecords(table, [row], asked)[0];
}

export function corruptRow(table: HashedTable, id: string): StoreError {
  return corruptRecord(`the ${NOUNS[table]} ${id}`);
}

/** Returns the error for a damaged record. @param record the name of the record with its article */
export function corruptRecord(record: string): StoreError {
  return new StoreError(
    "STORE_CORRUPT",
    `${record} is damaged: its content does not match its hash`,
    "Restore a backup: formctl local restore FILE. To list all damage: formctl local check",
    { record },
  );
}
