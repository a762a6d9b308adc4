/** Answers kept so that a repeated request gets the same one, and the trail of what was written. */

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

export async function insertMutation(
  tx: Tx,
  key: MutationKey,
  answer: { ownerLayoutId: string; bodySha256: string; response: string; createdAt: string },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO mutations
      (org_id, operation, scope, client_mutation_id, owner_layout_id, body_sha256, response, created_at)
    VALUES (${key.orgId}, ${key.operation}, ${key.scope}, ${key.clientMutationId}, ${answer.ownerLayoutId},
            ${answer.bodySha256}, ${answer.response}, ${answer.createdAt})`);
}

export async function deleteMutationsBefore(tx: Tx, time: string): Promise<void> {
  await tx.run(sql`DELETE FROM mutations WHERE created_at < ${time}`);
}

export async function insertAudit(
  tx: Tx,
  entry: {
    at: string;
    orgId: string;
    tokenId: string | null;
    operation: string;
    target: string;
    clientMutationId: string | null;
  },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO audit (at, org_id, token_id, operation, target, client_mutation_id)
    VALUES (${entry.at}, ${entry.orgId}, ${entry.tokenId}, ${entry.operation}, ${entry.target}, ${entry.clientMutationId})`);
}
