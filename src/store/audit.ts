/**
 * Writes and reads the audit log: one row for each write, added in the same transaction. The rows of an organization are
 * numbered in the order of their commits. A row never changes, and is deleted after its retention.
 */

import sql, { join } from "sql-template-tag";
import type { OrgTx, Tx } from "./store.ts";

export type AuditRecord = {
  seq: number;
  at: string;
  organization_key: string | null;
  token_id: string | null;
  token_name: string | null;
  operation: string;
  target: string;
  client_mutation_id: string | null;
  request_id: string | null;
};

export async function insertAudit(
  tx: OrgTx,
  entry: {
    at: string;
    tokenId: string | null;
    operation: string;
    target: string;
    clientMutationId: string | null;
    requestId: string | null;
  },
): Promise<void> {
  await tx.write(sql`UPDATE organization_state SET audit_seq = audit_seq + 1 WHERE org_id = ${tx.orgId}`);
  await tx.write(sql`
    INSERT INTO audit (org_id, seq, at, token_id, operation, target, client_mutation_id, request_id)
    SELECT org_id, audit_seq, ${entry.at}, ${entry.tokenId}, ${entry.operation}, ${entry.target},
           ${entry.clientMutationId}, ${entry.requestId}
    FROM organization_state WHERE org_id = ${tx.orgId}`);
}

/**
 * The maximum number of rows that one call deletes. A low number keeps each write short. Each write adds one row and
 * can delete 20 rows. So the number of expired rows falls.
 */
const MAX_DELETED = 20;

/** Deletes the audit rows of the organization from before `time`: the oldest rows, at most {@link MAX_DELETED}. */
export async function deleteAuditBefore(tx: OrgTx, time: string): Promise<void> {
  await tx.write(sql`
    DELETE FROM audit WHERE org_id = ${tx.orgId} AND at < ${time}
      AND seq < (SELECT MIN(seq) FROM audit WHERE org_id = ${tx.orgId}) + ${MAX_DELETED}`);
}

/**
 * Lists audit rows, newest first. Without `orgId`, lists the rows of all organizations. The name of a deleted token and
 * the key of a deleted organization are null.
 */
export function listAudit(
  tx: Tx,
  which: { orgId: string | undefined; operation: string | undefined; limit: number },
): Promise<AuditRecord[]> {
  const conditions = [
    sql`1 = 1`,
    ...(which.orgId === undefined ? [] : [sql`a.org_id = ${which.orgId}`]),
    ...(which.operation === undefined ? [] : [sql`a.operation = ${which.operation}`]),
  ];
  // `seq` numbers the rows of one organization only. So the rows of several organizations are sorted by time.
  const order = which.orgId === undefined ? sql`a.at DESC, a.org_id, a.seq DESC` : sql`a.seq DESC`;
  return tx.all<AuditRecord>(sql`
    SELECT a.seq, a.at, o.key AS organization_key, a.token_id, t.name AS token_name, a.operation, a.target,
           a.client_mutation_id, a.request_id
    FROM audit a LEFT JOIN organizations o ON o.id = a.org_id LEFT JOIN api_tokens t ON t.org_id = a.org_id AND t.id = a.token_id
    WHERE ${join(conditions, " AND ")} ORDER BY ${order} LIMIT ${which.limit}`);
}
