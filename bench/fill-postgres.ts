/**
 * Fills a PostgreSQL database with organizations and forms, for benchmarks of large stores.
 *
 * The engine creates the first organization, with one form and its draft. All other records are copies of these
 * records. The copies have new ids, new names and correct hashes, so `local check` finds no violation. The same seed
 * creates the same copies.
 */

import { createHash } from "node:crypto";
import { Client } from "pg";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { formatToken } from "../src/base/secret.ts";
import { sha256 } from "../src/base/sha256.ts";
import { foldName } from "../src/store/forms.ts";
import { HASHED, type HashedTable, recordHash } from "../src/store/record-hash.ts";
import { columnsOf, type TableName } from "../src/store/tables.ts";
import { type Random, seeded } from "../src/base/seeded-random.ts";
import { benchDraft } from "./manifest-folder.ts";

type Row = Record<string, string | number | null>;
type Rows = Map<TableName, Row[]>;

export type FilledForm = { id: string; layoutId: string };

/** An organization with a sample of its forms. */
export type FilledOrganization = { id: string; token: string; forms: FilledForm[] };

/** The object that has all forms of an organization. */
export const OBJECT = { moduleKey: "bench", objectKey: "object_0" };

/** The number of fields of the object. A draft has `BLOCKS` blocks. */
export const FIELDS = 10;
export const BLOCKS = 5;

/**
 * `CATALOG` has the tables of an organization without forms, `OF_FORM` the tables of a form. A referenced table
 * precedes the tables that refer to it.
 */
const CATALOG = ["organizations", "organization_state", "api_tokens", "roles", "modules", "objects", "fields"] as const;
const OF_FORM = ["forms", "form_types", "layouts", "layout_contents", "layout_versions", "audit"] as const;

const FORMS_AT_ONCE = 1_000;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 24;

/** Returns the secret of the token of an organization. */
export function tokenOf(seed: number, organization: number): string {
  return formatToken(createHash("sha256").update(`${seed} ${organization}`).digest());
}

/**
 * Creates a store with one organization for each number in `forms`.
 *
 * Foreign keys and triggers are disabled while copies are inserted. So the user of `url` must be a superuser.
 *
 * @param url a database without tables
 * @param forms the number of forms in each organization, at least 1
 * @param sampled takes the index of an organization, and returns how many of its forms are in the result, at least 1
 */
export async function fillPostgres(
  url: string,
  { forms, seed, sampled }: { forms: readonly number[]; seed: number; sampled: (organization: number) => number },
): Promise<FilledOrganization[]> {
  await createFirst(url, tokenOf(seed, 0));
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    const copies = await openCopies(client, seededId(seeded(seed)));
    const filled: FilledOrganization[] = [];
    // While the server inserts some rows, the next rows are computed.
    let inserted: Promise<void> = Promise.resolve();
    let rows: Rows = new Map();
    let added = 0;
    const insert = async () => {
      await inserted;
      inserted = insertAll(client, rows, copies.types);
      rows = new Map();
    };
    for (const [index, count] of forms.entries()) {
      const token = tokenOf(seed, index);
      const { id, ids, made } = copies.organization(rows, index, token);
      const kept = [...made];
      for (let number = made.length; number < count; number++) {
        const form = copies.form(rows, ids, number);
        if (kept.length < sampled(index)) kept.push(form);
        if (++added % FORMS_AT_ONCE === 0) await insert();
      }
      filled.push({ id, token, forms: kept });
    }
    await insert();
    await inserted;
    await client.query(`
      UPDATE organization_state s SET audit_seq = (SELECT MAX(a.seq) FROM audit a WHERE a.org_id = s.org_id)
      WHERE EXISTS (SELECT 1 FROM audit a WHERE a.org_id = s.org_id)`);
    return filled;
  } finally {
    await client.end();
  }
}

/** Creates the originals of all copies: an organization with a token, and a form with a draft. */
async function createFirst(url: string, token: string): Promise<void> {
  await createStore(url);
  const local = openLocal(url, () => new Date("2026-01-01T00:00:00.000Z"));
  const fields = Array.from({ length: FIELDS }, (_field, index) => ({
    key: `field_${index}`,
    name: `Field ${index}`,
    type: "TEXT" as const,
  }));
  const objects = [{ key: OBJECT.objectKey, name: "Object", fields }];
  const modules = [{ key: OBJECT.moduleKey, name: "Bench", objects }];
  const roles = [{ key: "clerk", name: "Clerk" }];
  await local.seed({ organizations: [{ key: "org-0", name: "Organization 0", roles, modules }] });
  await local.createToken({ name: "bench", permissions: PERMISSIONS, expiresAt: null });
  const service = await local.service("org-0");
  const { viewLayoutId } = await service.createForm({ ...OBJECT, body: { name: "Form 0", types: ["VIEW", "EDIT"] } });
  const body = { clientMutationId: "bench", ...benchDraft(BLOCKS) };
  await service.saveDraft({ layoutId: viewLayoutId, body });
  await local.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("DELETE FROM mutations");
  const { rows } = await client.query<Row>("SELECT * FROM api_tokens");
  const own = { ...rows[0], token_sha256: sha256(token), last4: token.slice(-4) };
  await client.query("UPDATE api_tokens SET token_sha256 = $1, last4 = $2, record_hash = $3", [
    own.token_sha256,
    own.last4,
    recordHash("api_tokens", own),
  ]);
  await client.end();
}

type Copies = {
  /** The types of the columns of each table. */
  types: Map<string, string>;
  /**
   * Adds an organization without forms. The organization with index 0 exists already, with one form.
   *
   * @returns the id of the organization, its existing forms, and `ids`. `ids` maps the ids of the originals to the ids
   * of the copies
   */
  organization: (
    rows: Rows,
    index: number,
    token: string,
  ) => { id: string; ids: Map<string, string>; made: FilledForm[] };
  form: (rows: Rows, ids: Map<string, string>, number: number) => FilledForm;
};

async function openCopies(client: Client, newId: (like: string) => string): Promise<Copies> {
  const originals: Rows = new Map();
  for (const table of [...CATALOG, ...OF_FORM]) {
    const { rows } = await client.query<Row>(`SELECT ${columnsOf(table).join(", ")} FROM ${table}`);
    originals.set(table, rows);
  }
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `SELECT table_name || '.' || column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  const [form] = originals.get("forms") as [Row];
  const [layout] = originals.get("layouts") as [Row];
  const first = Date.parse(String(form["created_at"]));

  /** Adds copies of the rows of `tables`, with new ids. `changes` returns the columns that differ from the original. */
  const copy = (
    rows: Rows,
    tables: readonly TableName[],
    ids: Map<string, string>,
    changes: (table: TableName, row: Row) => Row,
  ) => {
    const withIds = (text: string) => ids.get(text) ?? text;
    for (const table of tables) {
      const all = rows.get(table) ?? [];
      rows.set(table, all);
      for (const row of originals.get(table)!) {
        const id = row["id"];
        if (typeof id === "string" && !ids.has(id)) ids.set(id, newId(id));
        const copied: Row = {};
        for (const [column, value] of Object.entries(row)) {
          copied[column] = typeof value === "string" ? withIds(value) : value;
        }
        Object.assign(copied, changes(table, row));
        if (Object.hasOwn(HASHED, table)) copied["record_hash"] = recordHash(table as HashedTable, copied);
        all.push(copied);
      }
    }
  };

  const addForm: Copies["form"] = (rows, ofOrganization, number) => {
    const ids = new Map(ofOrganization);
    const name = `Form ${number}`;
    const at = new Date(first + number * 60_000).toISOString();
    copy(rows, OF_FORM, ids, (table, row) => {
      if (table === "audit") return { at, seq: Number(row["seq"]) + number * 2, target: path(row["target"], ids) };
      if (table === "layout_versions") return { created_at: at };
      if (table === "forms") return { name, name_folded: foldName(name), created_at: at, updated_at: at };
      if (table !== "layouts") return {};
      const target = { target: path(row["target"], ids), target_key: path(row["target_key"], ids) };
      return { ...target, name, created_at: at, updated_at: at };
    });
    return { id: ids.get(String(form["id"]))!, layoutId: ids.get(String(layout["id"]))! };
  };
  /** Replaces the ids of the form and the layout within a text. */
  const path = (text: Row[string] | undefined, ids: Map<string, string>): string =>
    [form["id"], layout["id"]].reduce<string>(
      (replaced, id) => replaced.replace(String(id), ids.get(String(id)) ?? String(id)),
      String(text),
    );

  const organization: Copies["organization"] = (rows, index, token) => {
    const ids = new Map<string, string>();
    const id = String(form["org_id"]);
    if (index === 0) return { id, ids, made: [{ id: String(form["id"]), layoutId: String(layout["id"]) }] };
    copy(rows, CATALOG, ids, (table) => {
      if (table === "organizations") return { key: `org-${index}`, name: `Organization ${index}` };
      return table === "api_tokens" ? { token_sha256: sha256(token), last4: token.slice(-4) } : {};
    });
    return { id: ids.get(id)!, ids, made: [] };
  };
  return { types: new Map(columns.map(({ name, type }) => [name, type])), organization, form: addForm };
}

async function insertAll(client: Client, rows: Rows, types: Map<string, string>): Promise<void> {
  await client.query("BEGIN");
  for (const [table, all] of rows) {
    if (all.length === 0) continue;
    const columns = Object.keys(all[0]!);
    const typeOf = (column: string) => types.get(`${table}.${column}`)!;
    // A value that is the same in all rows, such as their content, is sent once.
    const varies = columns.map((column) => all.length === 1 || all.some((row) => row[column] !== all[0]![column]));
    const lists = columns.filter((_column, index) => varies[index]);
    const selected = columns.map((column, index) =>
      varies[index] ? `list.${column}` : `$${index + 1}::${typeOf(column)}`,
    );
    const places = columns.flatMap((column, index) => (varies[index] ? [`$${index + 1}::${typeOf(column)}[]`] : []));
    await client.query(
      `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${selected.join(", ")}
       FROM unnest(${places.join(", ")}) AS list (${lists.join(", ")})`,
      columns.map((column, index) => (varies[index] ? all.map((row) => row[column]) : all[0]![column])),
    );
  }
  await client.query("COMMIT");
}

/** Returns a function that creates an id. The new id has the prefix of the given id. */
function seededId(random: Random): (like: string) => string {
  return (like) => {
    let id = like.slice(0, 4);
    for (let length = 0; length < ID_LENGTH; length++) id += ALPHABET[random.int(ALPHABET.length)]!;
    return id;
  };
}
