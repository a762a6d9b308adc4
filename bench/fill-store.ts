/** Fills a local store with copies of a form, for benchmarks of large stores. */

import { DatabaseSync } from "node:sqlite";
import { randomId } from "../src/engine/ids.ts";
import { foldName } from "../src/store/forms.ts";
import { HASHED, type HashedTable, recordHash } from "../src/store/record-hash.ts";

type Row = Record<string, string | number | null>;

/**
 * Copies a form `count` times, with its modes, layout, versions, contents and an audit row.
 *
 * The copies look like forms that the engine created. They have new ids. Each copy is dated one second after the
 * previous copy. Their names are `NAME 1`, `NAME 2` and so on. No process may have the store open.
 *
 * @returns the ids of the copies, in the order of their creation
 */
export function copyForm(path: string, formId: string, count: number): string[] {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -524288; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
    const rowsOf = (text: string) => db.prepare(text).all(formId) as Row[];
    const layoutsOfForm = "SELECT id FROM layouts WHERE owner_form_id = ?";
    const [form] = rowsOf("SELECT * FROM forms WHERE id = ?");
    if (form === undefined) throw new Error(`no form ${formId} in ${path}`);
    const types = rowsOf("SELECT * FROM form_types WHERE form_id = ? ORDER BY position");
    const [layout] = rowsOf("SELECT * FROM layouts WHERE owner_form_id = ?") as [Row];
    const versions = rowsOf(`SELECT * FROM layout_versions WHERE layout_id IN (${layoutsOfForm})`);
    const contents = rowsOf(`SELECT * FROM layout_contents WHERE layout_id IN (${layoutsOfForm})`);

    const audit = db.prepare("SELECT MAX(seq) AS last FROM audit WHERE org_id = ?").get(form["org_id"]!);
    const last = Number(audit!["last"]);

    const insert = inserter(db);
    const first = Date.parse(String(form["created_at"]));
    const copies: string[] = [];
    for (let number = 1; number <= count; number++) {
      const id = randomId("form");
      const layoutId = randomId("layout");
      const name = `${form["name"]} ${number}`;
      const at = new Date(first + number * 1000).toISOString();
      const times = { created_at: at, updated_at: at };
      const withId = (text: unknown) => String(text).replaceAll(formId, id);
      insert("forms", {
        ...form,
        ...times,
        id,
        name,
        name_folded: foldName(name),
        public_token: form["public_token"] === null ? null : randomId("publicToken"),
      });
      for (const row of types) insert("form_types", { ...row, form_id: id });
      const target = { target: withId(layout["target"]), target_key: withId(layout["target_key"]) };
      insert("layouts", { ...layout, ...times, ...target, id: layoutId, owner_form_id: id, name });
      for (const row of contents) insert("layout_contents", { ...row, layout_id: layoutId });
      for (const row of versions) {
        const published_at = row["published_at"] === null ? null : at;
        const version: Row = { ...row, id: randomId("version"), layout_id: layoutId, created_at: at, published_at };
        // A verdict has a hash that contains the id of the version, so a copied verdict would be invalid. Without a
        // verdict, the engine checks the content.
        insert("layout_versions", { ...version, verdict: null, verdict_hash: null });
      }
      insert("audit", {
        at,
        org_id: form["org_id"]!,
        seq: last + number,
        operation: "createForm",
        target: "/v1/copied",
      });
      copies.push(id);
    }
    db.prepare("UPDATE organization_state SET audit_seq = ? WHERE org_id = ?").run(last + count, form["org_id"]!);
    db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return copies;
  } finally {
    db.close();
  }
}

/** Returns a function that inserts a row. The function computes the hash of the row if the table has hashes. */
function inserter(db: DatabaseSync): (table: string, row: Row) => void {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return (table, row) => {
    const hashed = Object.hasOwn(HASHED, table);
    const full = hashed ? { ...row, record_hash: recordHash(table as HashedTable, row) } : row;
    const columns = Object.keys(full);
    let statement = statements.get(table);
    if (!statement) {
      const places = columns.map(() => "?").join(", ");
      statement = db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
      statements.set(table, statement);
    }
    statement.run(...Object.values(full));
  };
}
