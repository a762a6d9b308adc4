/** Answers kept so that a repeated request gets the same one. */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type MutationKey = { orgId: string; operation: string; scope: string; clientMutationId: string };
export type MutationRecord = {
  body_sha256: string;
  /** JSON text. */
  response: string;
  /** Of the version that the answer tells of, as JSON text; null where it tells of none. */
  content: string | null;
  created_at: string;
};

export function findMutation(tx: Tx, key: MutationKey): Promise<MutationRecord | undefined> {
  return tx.first<MutationRecord>(sql`
    SELECT m.body_sha256, m.response, c.content, m.created_at
    FROM mutations m LEFT JOIN layout_contents c ON c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
    WHERE m.org_id = ${key.orgId} AND m.operation = ${key.operation} AND m.scope = ${key.scope}
      AND m.client_mutation_id = ${key.clientMutationId}`);
}

/**
 * An answer goes with its owner; one that has none stays until it is too old.
 *
 * @param answer.versionId the version whose content belongs to the answer, and stays as long as it is kept
 */
export async function insertMutation(
  tx: Tx,
  key: MutationKey,
  answer: {
    ownerLayoutId: string | null;
    ownerFormId: string | null;
    bodySha256: string;
    response: string;
    versionId: string | null;
    createdAt: string;
  },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO mutations
      (org_id, operation, scope, client_mutation_id, owner_layout_id, owner_form_id, body_sha256, response,
       content_sha256, created_at)
    VALUES (${key.orgId}, ${key.operation}, ${key.scope}, ${key.clientMutationId}, ${answer.ownerLayoutId},
            ${answer.ownerFormId}, ${answer.bodySha256}, ${answer.response},
            (SELECT content_sha256 FROM layout_versions WHERE id = ${answer.versionId}), ${answer.createdAt})`);
}

/** A layout that is archived stays as a row, so that nothing takes its answers along. */
export async function deleteMutationsOfLayout(tx: Tx, layoutId: string): Promise<void> {
  await tx.run(sql`DELETE FROM mutations WHERE owner_layout_id = ${layoutId}`);
}

export async function deleteMutationsBefore(tx: Tx, time: string): Promise<void> {
  await tx.run(sql`DELETE FROM mutations WHERE created_at < ${time}`);
}
