/** Answers kept so that a repeated request gets the same one. */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type MutationKey = { orgId: string; operation: string; scope: string; clientMutationId: string };
export type MutationRecord = { body_sha256: string; response: string; created_at: string };

export function findMutation(tx: Tx, key: MutationKey): Promise<MutationRecord | undefined> {
  return tx.first<MutationRecord>(sql`
    SELECT body_sha256, response, created_at FROM mutations
    WHERE org_id = ${key.orgId} AND operation = ${key.operation} AND scope = ${key.scope}
      AND client_mutation_id = ${key.clientMutationId}`);
}

/** An answer goes with its owner; one that has none stays until it is too old. */
export async function insertMutation(
  tx: Tx,
  key: MutationKey,
  answer: {
    ownerLayoutId: string | null;
    ownerFormId: string | null;
    bodySha256: string;
    response: string;
    createdAt: string;
  },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO mutations
      (org_id, operation, scope, client_mutation_id, owner_layout_id, owner_form_id, body_sha256, response, created_at)
    VALUES (${key.orgId}, ${key.operation}, ${key.scope}, ${key.clientMutationId}, ${answer.ownerLayoutId},
            ${answer.ownerFormId}, ${answer.bodySha256}, ${answer.response}, ${answer.createdAt})`);
}

/** A layout that is archived stays as a row, so that nothing takes its answers along. */
export async function deleteMutationsOfLayout(tx: Tx, layoutId: string): Promise<void> {
  await tx.run(sql`DELETE FROM mutations WHERE owner_layout_id = ${layoutId}`);
}

export async function deleteMutationsBefore(tx: Tx, time: string): Promise<void> {
  await tx.run(sql`DELETE FROM mutations WHERE created_at < ${time}`);
}
