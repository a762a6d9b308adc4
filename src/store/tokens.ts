/** Queries for API tokens. Only the hash of a token is stored. So a copy of the store gives no access. */

import sql, { empty, raw } from "sql-template-tag";
import { recordHash, verifyRecords, verifyRecord } from "./record-hash.ts";
import type { Tx } from "./store.ts";
import { DATA_VERSION_KEY } from "./tables.ts";

export type TokenRecord = {
  id: string;
  org_id: string;
  organization_key: string;
  name: string;
  last4: string;
  /** JSON text: an array of permissions. */
  permissions: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** The day of the last use, such as `2026-11-21`; null if the token was never used. */
  last_used_at: string | null;
};

const columns = raw(`
  t.id, t.org_id, o.key AS organization_key, t.name, t.token_sha256, t.last4, t.permissions, t.created_at, t.expires_at,
  t.revoked_at, t.last_used_at, t.record_hash`);
const from = raw("FROM api_tokens t JOIN organizations o ON o.id = t.org_id");
const select = sql`SELECT ${columns} ${from}`;

export async function findToken(tx: Tx, id: string): Promise<TokenRecord | undefined> {
  return verifyRecord("api_tokens", await tx.first<TokenRecord>(sql`${select} WHERE t.id = ${id}`), { id });
}

export async function findTokenByHash(tx: Tx, sha256: string): Promise<TokenRecord | undefined> {
  const found = await tx.first<TokenRecord>(sql`${select} WHERE t.token_sha256 = ${sha256}`);
  return verifyRecord("api_tokens", found, { token_sha256: sha256 });
}

/** A token with a text that changes with each write that can change an answer to the token. */
export type VersionedToken = TokenRecord & { token_sha256: string; version: string };

/** Finds tokens in a store that raises versions (`Store.raisesVersions`). */
export async function findTokensByHash(tx: Tx, hashes: readonly string[]): Promise<VersionedToken[]> {
  const found = await tx.all<VersionedToken & { organization_version: number; data_version: string | null }>(sql`
    SELECT ${columns}, s.version AS organization_version,
           (SELECT value FROM meta WHERE key = ${DATA_VERSION_KEY}) AS data_version
    ${from} JOIN organization_state s ON s.org_id = t.org_id WHERE t.token_sha256 = ANY(${hashes})`);
  return verifyRecords("api_tokens", found).map((token) => ({
    ...token,
    version: `${token.data_version ?? 0}.${token.organization_version}`,
  }));
}

/** Lists the tokens of one organization. Without `orgId`, lists the tokens of all organizations. */
export async function listTokenRecords(tx: Tx, orgId?: string): Promise<TokenRecord[]> {
  const where = orgId === undefined ? empty : sql`WHERE t.org_id = ${orgId}`;
  return verifyRecords(
    "api_tokens",
    await tx.all<TokenRecord>(sql`${select} ${where} ORDER BY o.key, t.created_at, t.id`),
  );
}

export async function hasUnrevokedToken(tx: Tx): Promise<boolean> {
  return (await tx.first(sql`SELECT id FROM api_tokens WHERE revoked_at IS NULL LIMIT 1`)) !== undefined;
}

export async function insertToken(
  tx: Tx,
  token: Omit<TokenRecord, "organization_key" | "revoked_at" | "last_used_at"> & { token_sha256: string },
): Promise<void> {
  await tx.write(sql`
    INSERT INTO api_tokens (id, org_id, name, token_sha256, last4, permissions, created_at, expires_at,
       record_hash)
    VALUES (${token.id}, ${token.org_id}, ${token.name}, ${token.token_sha256}, ${token.last4}, ${token.permissions},
            ${token.created_at}, ${token.expires_at}, ${recordHash("api_tokens", token)})`);
}

/** Revokes a token. A second revocation keeps the time of the first revocation. */
export async function revokeTokenRecord(tx: Tx, id: string, at: string): Promise<void> {
  await tx.write(sql`UPDATE api_tokens SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`);
}

export async function setTokenUsed(tx: Tx, id: string, day: string): Promise<void> {
  await tx.write(sql`
    UPDATE api_tokens SET last_used_at = ${day} WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${day})`);
}
