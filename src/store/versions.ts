/** Versions of layouts. The draft is the one with the status DRAFT; the runtime version is the one PUBLISHED. */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type VersionRecord = {
  id: string;
  org_id: string;
  layout_id: string;
  number: number;
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  /** JSON text: the layout's modes when this version was saved. */
  supported_modes: string;
  /** Canonical JSON text of a DraftContent. */
  content: string;
  content_sha256: string;
  state: "valid" | "valid_with_warnings" | "invalid";
  /** JSON text of a Validation. */
  validation: string;
  source_version_id: string | null;
  created_at: string;
  published_at: string | null;
};

export function findVersion(tx: Tx, layoutId: string, versionId: string): Promise<VersionRecord | undefined> {
  return tx.first<VersionRecord>(sql`
    SELECT id, org_id, layout_id, number, status, supported_modes, content, content_sha256, state, validation,
           source_version_id, created_at, published_at
    FROM layout_versions WHERE id = ${versionId} AND layout_id = ${layoutId}`);
}
