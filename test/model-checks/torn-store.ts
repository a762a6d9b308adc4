/**
 * Stores for the control of the races. A torn store has no transactions: each query is committed by itself, and other
 * callers run between two queries. On a schema without keys, only transactions enforce the rules.
 */

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { emptyStore } from "../../src/store/sqlite-schema.ts";
import { translate } from "../../src/store/errors.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import type { Place } from "./databases.ts";
import type { Random } from "./races.ts";

/** `torn`: without transactions; `keyless`: without keys, checks and triggers that refuse writes. */
export type TornKind = { torn: boolean; keyless: boolean };

export function tornName(database: string, { torn, keyless }: TornKind): string {
  const words = [torn ? "without transactions" : "", keyless ? "without keys" : ""].filter((word) => word !== "");
  return `${database} ${words.join(" and ")}`;
}

export function tornSqlite(how: TornKind, random: Random): Place {
  return {
    name: tornName("SQLite", how),
    async open(connections) {
      const db = emptyStore();
      if (how.keyless) removeKeys(db);
      else db.exec("PRAGMA foreign_keys = ON");
      const run = how.torn ? tornRunner(db, random) : serialRunner(db, random);
      const store: Store = { read: run, write: run, close: async () => {} };
      const stores = Array.from({ length: connections }, () => ({ ...store }));
      return { stores, location: ":memory:", close: async () => db.close() };
    },
  };
}

type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Runs each query by itself. Before half of the queries, other callers can run. */
function tornRunner(db: DatabaseSync, random: Random): Run {
  return (work) => work(openTx(db, random));
}

function serialRunner(db: DatabaseSync, random: Random): Run {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = async () => {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = await work(openTx(db, random));
        db.exec("COMMIT");
        return result;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    };
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };
}

function openTx(db: DatabaseSync, random: Random): Tx {
  const call = async <T>(query: Parameters<Tx["run"]>[0], run: (text: string, values: SQLInputValue[]) => T) => {
    if (random(2) === 0) await setImmediate();
    return translate("the store", () => run(query.sql, query.values as SQLInputValue[]));
  };
  const tx: Tx = {
    cache: new Map(),
    all: <Row>(query: Parameters<Tx["all"]>[0]) =>
      call(query, (text, values) => db.prepare(text).all(...values) as Row[]),
    first: <Row>(query: Parameters<Tx["first"]>[0]) =>
      call(query, (text, values) => db.prepare(text).get(...values) as Row | undefined),
    run: (query) => call(query, (text, values) => Number(db.prepare(text).run(...values).changes)),
    write: async (query) => void (await tx.run(query)),
    async *pages<Row>(table: string, columns: readonly string[]) {
      yield db.prepare(`SELECT ${columns.join(", ")} FROM ${table}`).all() as Row[];
    },
  };
  return tx;
}

type Column = { name: string; type: string; notnull: number; dflt_value: string | null };
type ForeignKey = { id: number; table: string; from: string; to: string; on_delete: string };

/**
 * Recreates the tables without keys. Triggers replace the cascades of the foreign keys: a deletion still deletes the
 * dependent rows. Statements with ON CONFLICT need keys, so their keys remain.
 */
function removeKeys(db: DatabaseSync): void {
  const rows = (text: string) => db.prepare(text).all() as Record<string, string>[];
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  const triggers = rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
  const kept = triggers.map(({ sql }) => sql!).filter((sql) => !sql.includes("RAISE(ABORT"));
  const cascades = tables.flatMap(({ name }) => cascadesOf(db, name!));
  db.exec("PRAGMA foreign_keys = OFF");
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const { name } of tables) {
    const columns = rows(`PRAGMA table_info(${name})`) as unknown as Column[];
    const plain = columns.map((column) => {
      const fallback = column.dflt_value === null ? "" : ` DEFAULT ${column.dflt_value}`;
      return `${column.name} ${column.type}${fallback}`;
    });
    db.exec(`DROP TABLE ${name}; CREATE TABLE ${name} (${plain.join(", ")})`);
  }
  for (const key of UPSERT_KEYS) db.exec(`CREATE UNIQUE INDEX kept_${key.split(" ")[0]} ON ${key}`);
  for (const trigger of [...kept, ...cascades]) db.exec(trigger);
}

const UPSERT_KEYS = [
  "form_types (form_id, org_id, object_id, mode)",
  "organizations (id)",
  "organization_state (org_id)",
  "migration_records (org_id)",
  "layout_contents (layout_id, sha256)",
];

function cascadesOf(db: DatabaseSync, table: string): string[] {
  const keys = db.prepare(`PRAGMA foreign_key_list(${table})`).all() as unknown as ForeignKey[];
  const cascades = Map.groupBy(
    keys.filter(({ on_delete }) => on_delete === "CASCADE"),
    ({ id }) => id,
  );
  return [...cascades].map(([id, columns]) => {
    const condition = columns.map(({ from, to }) => `${from} = OLD.${to}`).join(" AND ");
    return `CREATE TRIGGER cascade_${table}_${id} AFTER DELETE ON ${columns[0]!.table}
      BEGIN DELETE FROM ${table} WHERE ${condition}; END`;
  });
}
