/** Which form an object uses for a mode when a caller names none (R12). */

import sql from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import type { FormRecord } from "./forms.ts";
import type { Tx } from "./store.ts";

type DefaultRecord = { mode: Mode; form_id: string };

export function listDefaults(tx: Tx, objectId: string): Promise<DefaultRecord[]> {
  return tx.all<DefaultRecord>(sql`SELECT mode, form_id FROM form_defaults WHERE object_id = ${objectId}`);
}

export async function putDefault(tx: Tx, form: FormRecord, mode: Mode): Promise<void> {
  await tx.run(sql`
    INSERT INTO form_defaults (org_id, object_id, mode, form_id)
    VALUES (${form.org_id}, ${form.object_id}, ${mode}, ${form.id})
    ON CONFLICT (object_id, mode) DO UPDATE SET form_id = excluded.form_id`);
}

export async function deleteDefault(tx: Tx, objectId: string, mode: Mode): Promise<void> {
  await tx.run(sql`DELETE FROM form_defaults WHERE object_id = ${objectId} AND mode = ${mode}`);
}
