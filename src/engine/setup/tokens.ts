/** Creates, lists, revokes and authenticates API tokens (R101). */

import { sha256 } from "../../sha256.ts";
import { type Permission, PERMISSIONS } from "../../schemas/words.ts";
import type { TokenRequest, TokenView } from "../../local-service.ts";
import { NewToken } from "../../schemas/local-requests.ts";
import { readShape } from "../../schemas/shape.ts";
import { isWellFormedToken } from "../../secret.ts";
import type { Store, Tx } from "../../store/store.ts";
import {
  findToken,
  findTokenByHash,
  insertToken,
  listTokenRecords,
  revokeTokenRecord,
  setTokenUsed,
  type TokenRecord,
} from "../../store/tokens.ts";
import { readStored } from "../../store/stored-json.ts";
import { invalid, notFound } from "../refuse.ts";
import type { Actor } from "../rule.ts";
import { chooseOrganization } from "./choose-organization.ts";

const DAY_LENGTH = "2026-11-21".length;

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
    // The permissions are stored without duplicates, in the order of PERMISSIONS.
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

/** By token id: the minute in which the server last tried to write the last use of the token. */
export type TokenUses = Map<string, string>;

/**
 * The length of a time up to its minute. The server tries to write the last use of a token at most once per minute.
 * Otherwise, if the store were busy or read-only, each request would repeat the failed write.
 */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

/**
 * Returns the actor of a token, or undefined if the token is unknown, expired or revoked. The last use is written in
 * the background: the request does not wait for the write, and succeeds even if the write fails.
 */
export async function findTokenHolder(
  store: Store,
  token: string,
  now: string,
  uses: TokenUses,
): Promise<(Actor & { tokenId: string }) | undefined> {
  if (!isWellFormedToken(token)) return undefined;
  const record = await store.read((tx) => findTokenByHash(tx, sha256(token)));
  if (!record || record.revoked_at !== null || (record.expires_at !== null && record.expires_at <= now)) {
    return undefined;
  }
  // The last use is stored as a day: enough to find unused tokens, with one write per day instead of one per request.
  const today = now.slice(0, DAY_LENGTH);
  const minute = now.slice(0, MINUTE_LENGTH);
  if (record.last_used_at !== today && uses.get(record.id) !== minute) {
    uses.set(record.id, minute);
    store.write((tx) => setTokenUsed(tx, record.id, today)).catch(() => {});
  }
  return { organizationId: record.org_id, permissions: new Set(permissionsOf(record)), tokenId: record.id };
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

function permissionsOf(record: TokenRecord): Permission[] {
  return readStored("api_tokens.permissions", record.permissions, record.id);
}
