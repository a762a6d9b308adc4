/** API tokens: made, shown, revoked, and read on every request (R101). */

import { sha256 } from "../../sha256.ts";
import { type Permission, PERMISSIONS } from "../../schemas/words.ts";
import type { TokenRequest, TokenView } from "../../local-service.ts";
import { NewToken } from "../../schemas/new-token.ts";
import { readShape } from "../../schemas/shape.ts";
import { isWellFormedToken } from "../../schemas/token.ts";
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
import type { Actor } from "../world.ts";
import { chooseOrganization } from "./choose-organization.ts";

const DAY_LENGTH = "2026-11-21".length;

/** @throws ServiceError 400 for a blank name, an unknown permission or a time that has passed */
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
    // In the order of the table and each once, however they were given.
    permissions: JSON.stringify(PERMISSIONS.filter((permission) => shape.value.permissions.includes(permission))),
    created_at: made.now,
    expires_at: expires,
  });
  return { ...(await readToken(tx, made.id)), token: made.token };
}

/** Of one organization, or of all. */
export async function listTokens(tx: Tx, organizationKey: string | undefined): Promise<TokenView[]> {
  const orgId = organizationKey === undefined ? undefined : (await chooseOrganization(tx, organizationKey)).id;
  return (await listTokenRecords(tx, orgId)).map(tokenView);
}

/** Revoking twice is no mistake: the first time stays. @throws ServiceError 404 */
export async function revokeToken(tx: Tx, id: string, now: string): Promise<TokenView> {
  await revokeTokenRecord(tx, id, now);
  return readToken(tx, id);
}

/** Whose last use is being written, or was tried a short while ago: by token, the time of the attempt. */
export type TokenUses = Map<string, string>;

/** A store that can't be written, or is busy, is not asked by every request. */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

/**
 * Who holds a token, by its state at this moment; undefined when it is unknown, expired or revoked. Its last use is written
 * behind the request, which neither waits for that nor fails with it.
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
  // A day is exact enough to find unused tokens, and costs one write a day instead of one a request.
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
  if (!record) throw notFound(`there is no token ${id}`);
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
