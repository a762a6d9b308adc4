/** What was written and by whom, from the trail. */

import type { LogEntry, LogRequest } from "../../local-service.ts";
import { listAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/store.ts";
import { chooseOrganization } from "./choose-organization.ts";

/** Of one organization or of all, the newest first. */
export async function listLog(tx: Tx, { organization, operation, limit }: LogRequest): Promise<LogEntry[]> {
  const orgId = organization === undefined ? undefined : (await chooseOrganization(tx, organization)).id;
  const records = await listAudit(tx, { orgId, operation, limit });
  return records.map((record) => ({
    seq: record.seq,
    at: record.at,
    organization: record.organization_key,
    tokenId: record.token_id,
    tokenName: record.token_name,
    operation: record.operation,
    target: record.target,
    clientMutationId: record.client_mutation_id,
    requestId: record.request_id,
  }));
}
