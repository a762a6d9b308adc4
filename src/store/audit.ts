/**
 * Writes and reads the audit log: one row for each write, added in the same transaction. The rows of an organization are
 * numbered in the order of their commits. A row never changes, and is deleted after its retention.
 */

import sql, { join } from "sql-template-tag";
import { type OrgTx, StoreError, type Tx } from "./store.ts";

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

/** @returns the number of the row */
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
): Promise<number> {
  const seq = (await tx.reservedAuditNumber?.()) ?? (await nextNumber(tx));
  await tx.write(sql`
    INSERT INTO audit (org_id, seq, at, token_id, operation, target, client_mutation_id, request_id)
    VALUES (${tx.orgId}, ${seq}, ${entry.at}, ${entry.tokenId}, ${entry.operation}, ${entry.target},
            ${entry.clientMutationId}, ${entry.requestId})`);
  return seq;
}

/** @throws StoreError STORE_CORRUPT if the organization has no state */
async function nextNumber(tx: OrgTx): Promise<number> {
  await tx.write(sql`UPDATE organization_state SET audit_seq = audit_seq + 1 WHERE org_id = ${tx.orgId}`);
  const state = await tx.first<{ audit_seq: number }>(
    sql`SELECT audit_seq FROM organization_state WHERE org_id = ${tx.orgId}`,
  );
  if (!state) throw withoutState(tx.orgId);
  return state.audit_seq;
}

/** Returns the error for an organization without a row in `organization_state`. Its writes would not be numbered. */
export function withoutState(orgId: string): StoreError {
  return new StoreError(
    "STORE_CORRUPT",
    `the store is damaged: the organization ${orgId} has no row in organization_state`,
    "List all damage: formctl local check",
  );
}

/**
 * The maximum number of rows that one call deletes. A low number keeps each write short. One of 16 writes deletes rows
 * (engine.ts), and 16 writes add 16 rows. So the number of expired rows falls.
 */
const MAX_DELETED = 320;

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
