/** View layouts. An archived one is found by nothing here (R56). */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type LayoutRecord = {
  id: string;
  org_id: string;
  surface: string;
  /** JSON text: the target as it is shown. */
  target: string;
  /** Canonical JSON text of the target's non-null members: equal targets have equal keys. */
  target_key: string;
  owner_form_id: string | null;
  name: string;
  /** JSON text, or null. */
  metadata: string | null;
  status: "DRAFT" | "ACTIVE" | "ARCHIVED";
  last_version: number;
  created_at: string;
  updated_at: string;
};

export function findLayout(tx: Tx, orgId: string, layoutId: string): Promise<LayoutRecord | undefined> {
  return tx.first<LayoutRecord>(sql`
    SELECT id, org_id, surface, target, target_key, owner_form_id, name, metadata, status, last_version, created_at, updated_at
    FROM layouts WHERE id = ${layoutId} AND org_id = ${orgId} AND status <> 'ARCHIVED'`);
}
