/**
 * Writes and reads the audit log: one row for each write, added in the same transaction. Rows are never changed or
 * deleted.
 */

import sql, { join } from "sql-template-tag";
import type { Tx } from "./store.ts";

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
  tx: Tx,
  entry: {
    at: string;
    orgId: string;
    tokenId: string | null;
    operation: string;
    target: string;
    clientMutationId: string | null;
    requestId: string | null;
  },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO audit (at, org_id, token_id, operation, target, client_mutation_id, request_id)
    VALUES (${entry.at}, ${entry.orgId}, ${entry.tokenId}, ${entry.operation}, ${entry.target},
            ${entry.clientMutationId}, ${entry.requestId})`);
}

/** Lists audit rows, newest first. The name of a deleted token and the key of a deleted organization are null. */
export function listAudit(
  tx: Tx,
  which: { orgId: string | undefined; operation: string | undefined; limit: number },
): Promise<AuditRecord[]> {
  const conditions = [
    sql`1 = 1`,
    ...(which.orgId === undefined ? [] : [sql`a.org_id = ${which.orgId}`]),
    ...(which.operation === undefined ? [] : [sql`a.operation = ${which.operation}`]),
  ];
  return tx.all<AuditRecord>(sql`
    SELECT a.seq, a.at, o.key AS organization_key, a.token_id, t.name AS token_name, a.operation, a.target,
           a.client_mutation_id, a.request_id
    FROM audit a LEFT JOIN organizations o ON o.id = a.org_id LEFT JOIN api_tokens t ON t.id = a.token_id
    WHERE ${join(conditions, " AND ")} ORDER BY a.seq DESC LIMIT ${which.limit}`);
}
