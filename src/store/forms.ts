/** Forms and the modes they have. */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type FormRecord = {
  id: string;
  org_id: string;
  object_id: string;
  name: string;
  is_active: 0 | 1;
  is_public: 0 | 1;
  public_token: string | null;
  /** JSON text, or null. */
  config: string | null;
  created_at: string;
  updated_at: string;
};

export function findForm(tx: Tx, orgId: string, objectId: string, formId: string): Promise<FormRecord | undefined> {
  return tx.first<FormRecord>(sql`
    SELECT id, org_id, object_id, name, is_active, is_public, public_token, config, created_at, updated_at
    FROM forms WHERE id = ${formId} AND object_id = ${objectId} AND org_id = ${orgId}`);
}
