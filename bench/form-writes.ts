/** The SQL statements with which the engine creates a form. Benchmarks run these statements on the raw driver. */

import sql, { type Sql } from "sql-template-tag";
import { type NewId, randomId } from "../src/engine/ids.ts";
import { insertAudit } from "../src/store/audit.ts";
import { type FormRecord, insertForm, insertFormTypes } from "../src/store/forms.ts";
import { insertLayout, type LayoutRecord } from "../src/store/layouts.ts";
import { inOrganization, type Tx } from "../src/store/store.ts";
import { insertDraft, type VersionRecord } from "../src/store/versions.ts";

/** The rows of a form. The measured writes insert copies of them. */
export type FormRows = { form: FormRecord; layout: LayoutRecord; version: VersionRecord };

/** Reads the rows of a form. @param all runs a query on the database */
export async function formRows(all: (query: Sql) => Promise<unknown[]>, formId: string): Promise<FormRows> {
  const [form] = (await all(sql`SELECT * FROM forms WHERE id = ${formId}`)) as [FormRecord];
  const [layout] = (await all(
    sql`SELECT * FROM layouts WHERE org_id = ${form.org_id} AND owner_form_id = ${formId}`,
  )) as [LayoutRecord];
  const [version] = (await all(sql`
    SELECT v.*, c.content FROM layout_versions v
    JOIN layout_contents c ON c.org_id = v.org_id AND c.layout_id = v.layout_id AND c.sha256 = v.content_sha256
    WHERE v.org_id = ${form.org_id} AND v.layout_id = ${layout.id}`)) as [VersionRecord];
  return { form, layout, version };
}

/** Returns the statements of `number` writes. Each write creates a form with the statements of the engine. */
export async function creations(rows: FormRows, number: number, newId: NewId = randomId): Promise<Sql[][]> {
  const writes: Sql[][] = [];
  for (let index = 0; index < number; index++) {
    const statements: Sql[] = [];
    const record = { write: async (statement: Sql) => void statements.push(statement) } as unknown as Tx;
    const tx = inOrganization(record, rows.form.org_id);
    const at = new Date().toISOString();
    const times = { created_at: at, updated_at: at };
    const form = { ...rows.form, ...times, id: newId("form") };
    const target = { target: named(rows.layout.target, form.id), target_key: named(rows.layout.target_key, form.id) };
    const layout = { ...rows.layout, ...times, ...target, id: newId("layout"), owner_form_id: form.id };
    await insertForm(tx, form);
    await insertFormTypes(tx, form, ["VIEW", "EDIT"]);
    await insertLayout(tx, layout);
    await insertDraft(tx, { ...rows.version, id: newId("version"), layout_id: layout.id, created_at: at });
    const request = { clientMutationId: null, requestId: null, tokenId: null };
    await insertAudit(tx, { ...request, at, operation: "createForm", target: "/v1/bench" });
    writes.push(statements);
  }
  return writes;

  function named(target: string, formId: string): string {
    return target.replace(rows.form.id, formId);
  }
}
