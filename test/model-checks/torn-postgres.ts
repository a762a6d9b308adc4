/** The stores of torn-store.ts on PostgreSQL. */

import { setImmediate } from "node:timers/promises";
import { type Connection, ConnectionPool } from "../../src/store/postgres/connection.ts";
import { toStoreError } from "../../src/store/postgres/errors.ts";
import { openPostgres, SERVING } from "../../src/store/postgres/postgres.ts";
import { readSettings } from "../../src/store/postgres/settings.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import type { Place } from "./databases.ts";
import type { PostgresDatabases } from "./postgres-databases.ts";
import type { Random } from "./races.ts";
import { tornName, type TornKind } from "./torn-store.ts";

const CONNECTIONS = 10;

export function tornPostgres({ server, template }: PostgresDatabases, how: TornKind, random: Random): Place {
  const name = tornName("PostgreSQL", how);
  return {
    name,
    async open(connections) {
      const database = await server.createDatabase(template);
      if (how.keyless) for (const text of REMOVE_KEYS) await runGenerated(server, database, text);
      const { store, close } = how.torn ? openTorn(server.url(database), random) : openWhole(server.url(database));
      return {
        stores: Array.from({ length: connections }, () => ({ ...store })),
        location: server.url(database),
        async close() {
          await close();
          await server.dropDatabase(database);
        },
      };
    },
  };
}

type Opened = { store: Store; close: () => Promise<void> };

/** Opens the real store, but skips its check of the schema. The check would report the missing keys. */
function openWhole(url: string): Opened {
  const store = openPostgres(url, SERVING);
  const close = () => store.close();
  return {
    store: { read: (work) => store.read(work), write: (work, orgId) => store.write(work, orgId), close },
    close,
  };
}

/** Opens a store that commits each query by itself. */
function openTorn(url: string, random: Random): Opened {
  const settings = readSettings(url, {});
  const pool = new ConnectionPool(settings, { max: CONNECTIONS, answerTimeoutsMs: { first: 60_000, others: 60_000 } });
  const call = async (query: Parameters<Tx["run"]>[0]) => {
    if (random(2) === 0) await setImmediate();
    const connection: Connection = await pool.connect();
    try {
      return await connection.query<Record<string, unknown>>(query.text, query.values);
    } catch (error) {
      throw toStoreError(settings.name, error);
    } finally {
      connection.release(false);
    }
  };
  const run = <T>(work: (tx: Tx) => Promise<T>) => {
    const tx: Tx = {
      cache: new Map(),
      all: async <Row>(query: Parameters<Tx["all"]>[0]) => (await call(query)).rows as Row[],
      first: async <Row>(query: Parameters<Tx["first"]>[0]) => (await call(query)).rows[0] as Row | undefined,
      run: async (query) => (await call(query)).rowCount ?? 0,
      write: async (query) => void (await call(query)),
      async *pages<Row>(table: string, columns: readonly string[]) {
        const text = `SELECT ${columns.join(", ")} FROM ${table}`;
        yield (await call({ text, values: [] } as unknown as Parameters<Tx["run"]>[0])).rows as Row[];
      },
    };
    return work(tx);
  };
  return { store: { read: run, write: run, close: async () => {} }, close: () => pool.close() };
}

/** Runs the statements that a query returns as texts. */
async function runGenerated(server: PostgresDatabases["server"], database: string, query: string): Promise<void> {
  const rows = await server.query<{ text: string }>(query, database);
  await server.query(rows.map(({ text }) => text).join(";\n"), database);
}

const COLUMNS = (numbers: string, table: string) => `
  (SELECT array_agg(a.attname::text ORDER BY k.position) FROM unnest(${numbers}) WITH ORDINALITY k(number, position)
   JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = k.number)`;

/** The keys that statements with ON CONFLICT need. */
const NEEDED = ["form_types", "organizations", "organization_state", "migration_records", "layout_contents", "meta"];

/**
 * Queries that return the statements to remove the keys. Triggers replace the cascades of the foreign keys: a deletion
 * still deletes the dependent rows.
 */
const REMOVE_KEYS = [
  `SELECT format('CREATE FUNCTION cascade_%s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM %s WHERE %s; RETURN NULL; END $$;
             CREATE TRIGGER cascade_%s AFTER DELETE ON %s FOR EACH ROW EXECUTE FUNCTION cascade_%s()',
             oid, child, (SELECT string_agg(format('%I = OLD.%I', f, t), ' AND ') FROM unnest(own, other) AS pair(f, t)),
             oid, parent, oid) AS text
   FROM (SELECT c.oid, c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
                ${COLUMNS("c.conkey", "c.conrelid")} AS own, ${COLUMNS("c.confkey", "c.confrelid")} AS other
         FROM pg_constraint c WHERE c.contype = 'f' AND c.confdeltype = 'c') AS keys`,
  `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS text
   FROM pg_constraint WHERE contype = 'f'`,
  `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS text
   FROM pg_constraint
   WHERE contype IN ('c', 'u', 'p') AND connamespace = 'public'::regnamespace
     AND conrelid::regclass::text <> ALL ('{${NEEDED.join(",")}}')`,
  `SELECT format('DROP INDEX %I', indexname) AS text FROM pg_indexes WHERE indexname IN ('one_draft', 'one_published')`,
  `SELECT format('DROP FUNCTION %s CASCADE', p.oid::regprocedure) AS text FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace AND p.prosrc LIKE '%RAISE EXCEPTION%'`,
];
