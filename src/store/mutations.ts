/** Queries for stored responses: a repeated request gets the response to the first request. */

import sql from "sql-template-tag";
import { recordHash, verifyRecord } from "./record-hash.ts";
import type { OrgTx } from "./store.ts";
import { requireContent } from "./versions.ts";

export type MutationKey = { orgId: string; operation: string; scope: string; clientMutationId: string };
export type MutationRecord = {
  body_sha256: string;
  /** JSON text. */
  response: string;
  /**
   * JSON text: the content of the version in the response. Null if the response has no version, or if `response` itself
   * includes the content. Responses to saved drafts from before migration 0003 include it.
   */
  content: string | null;
  created_at: string;
};

export async function findMutation(tx: OrgTx, key: MutationKey): Promise<MutationRecord | undefined> {
  const found = await tx.first<MutationRecord & { content_sha256: string | null }>(sql`
    SELECT m.*, c.content
    FROM mutations m LEFT JOIN layout_contents c
      ON c.org_id = m.org_id AND c.layout_id = m.owner_layout_id AND c.sha256 = m.content_sha256
    WHERE m.org_id = ${key.orgId} AND m.operation = ${key.operation} AND m.scope = ${key.scope}
      AND m.client_mutation_id = ${key.clientMutationId}`);
  const { orgId: org_id, operation, scope, clientMutationId: client_mutation_id } = key;
  verifyRecord("mutations", found, { org_id, operation, scope, client_mutation_id });
  if (found && found.content_sha256 !== null)
    requireContent(found.content, found.content_sha256, `the stored response ${client_mutation_id}`);
  return found;
}

/**
 * Stores a response. The response is deleted when it expires, or together with its layout or form.
 *
 * @param answer.contentSha256 the hash of the content that is part of the response. The content is kept until the
 *   response is deleted
 */
export async function insertMutation(
  tx: OrgTx,
  key: MutationKey,
  answer: {
    ownerLayoutId: string | null;
    ownerFormId: string | null;
    bodySha256: string;
    response: string;
    contentSha256: string | null;
    createdAt: string;
  },
): Promise<void> {
  const row = {
    org_id: key.orgId,
    operation: key.operation,
    scope: key.scope,
    client_mutation_id: key.clientMutationId,
    body_sha256: answer.bodySha256,
    response: answer.response,
    content_sha256: answer.contentSha256,
    created_at: answer.createdAt,
  };
  await tx.write(sql`
    INSERT INTO mutations
      (org_id, operation, scope, client_mutation_id, owner_layout_id, owner_form_id, body_sha256, response,
       content_sha256, created_at, record_hash)
    VALUES (${row.org_id}, ${row.operation}, ${row.scope}, ${row.client_mutation_id}, ${answer.ownerLayoutId},
            ${answer.ownerFormId}, ${row.body_sha256}, ${row.response}, ${row.content_sha256}, ${row.created_at},
            ${recordHash("mutations", row)})`);
}

/** Deletes the stored responses of an archived layout. The row of the layout stays, so no cascade deletes them. */
export async function deleteMutationsOfLayout(tx: OrgTx, layoutId: string): Promise<void> {
  await tx.write(sql`DELETE FROM mutations WHERE org_id = ${tx.orgId} AND owner_layout_id = ${layoutId}`);
}

export async function deleteMutation(tx: OrgTx, key: MutationKey): Promise<void> {
  await tx.write(sql`
    DELETE FROM mutations
    WHERE org_id = ${key.orgId} AND operation = ${key.operation} AND scope = ${key.scope}
      AND client_mutation_id = ${key.clientMutationId}`);
}

export async function deleteMutationsBefore(tx: OrgTx, time: string): Promise<void> {
  await tx.write(sql`DELETE FROM mutations WHERE org_id = ${tx.orgId} AND created_at < ${time}`);
}
