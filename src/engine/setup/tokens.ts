/** Creates, lists and revokes API tokens (R101). */

import { sha256 } from "../../base/sha256.ts";
import { type Permission, PERMISSIONS } from "../../schemas/words.ts";
import type { TokenRequest, TokenView } from "../../local-service.ts";
import { NewToken } from "../../schemas/local-requests.ts";
import { readShape } from "../../schemas/shape.ts";
import type { Tx } from "../../store/store.ts";
import { findToken, insertToken, listTokenRecords, revokeTokenRecord, type TokenRecord } from "../../store/tokens.ts";
import { readStored } from "../../store/stored-json.ts";
import { invalid, notFound } from "../refuse.ts";
import { chooseOrganization } from "./choose-organization.ts";

/** Creates a token. @throws ServiceError 400 for a blank name, an unknown permission or an expiry in the past */
export async function createToken(
  tx: Tx,
  request: TokenRequest,
  made: { id: string; token: string; now: string },
): Promise<TokenView & { token: string }> {
  const organization = await chooseOrganization(tx, request.organization);
  const { name, permissions, expiresAt } = request;
  const shape = readShape(NewToken, { name, permissions, expiresAt });
  if (!shape.ok) throw invalid(shape.problems);
  const expires = shape.value.expiresAt === null ? null : new Date(shape.value.expiresAt).toISOString();
  if (expires !== null && expires <= made.now) {
    throw invalid([{ path: "expiresAt", message: "must be in the future" }]);
  }
  await insertToken(tx, {
    id: made.id,
    org_id: organization.id,
    name: shape.value.name,
    token_sha256: sha256(made.token),
    last4: made.token.slice(-4),
    permissions: JSON.stringify(PERMISSIONS.filter((permission) => shape.value.permissions.includes(permission))),
    created_at: made.now,
    expires_at: expires,
  });
  return { ...(await readToken(tx, made.id)), token: made.token };
}

/** Lists the tokens of one organization or, if `organizationKey` is undefined, of all organizations. */
export async function listTokens(tx: Tx, organizationKey: string | undefined): Promise<TokenView[]> {
  const orgId = organizationKey === undefined ? undefined : (await chooseOrganization(tx, organizationKey)).id;
  return (await listTokenRecords(tx, orgId)).map(tokenView);
}

/**
 * Revokes a token. A second revocation succeeds and keeps the time of the first.
 *
 * @throws ServiceError 404 if the token does not exist
 */
export async function revokeToken(tx: Tx, id: string, now: string): Promise<TokenView> {
  await revokeTokenRecord(tx, id, now);
  return readToken(tx, id);
}

async function readToken(tx: Tx, id: string): Promise<TokenView> {
  const record = await findToken(tx, id);
  if (!record) throw notFound(`the token ${id} does not exist`);
  return tokenView(record);
}

function tokenView(record: TokenRecord): TokenView {
  return {
    id: record.id,
    name: record.name,
    organization: record.organization_key,
    permissions: permissionsOf(record),
    last4: record.last4,
    createdAt: record.created_at,
    expiresAt: record.expires_at,
    revokedAt: record.revoked_at,
    lastUsedAt: record.last_used_at,
  };
}

export function permissionsOf(record: TokenRecord): Permission[] {
  return readStored("api_tokens.permissions", record.permissions, record.id);
}
