/** Finds the actor of a token (R101), and records on which days the token is used. */

import { sha256 } from "../../base/sha256.ts";
import type { Permission } from "../../schemas/words.ts";
import { isWellFormedToken } from "../../base/secret.ts";
import type { TokenRefusal } from "../../service.ts";
import type { Store } from "../../store/store.ts";
import { findTokenByHash, findTokensByHash, setTokenUsed, type TokenRecord } from "../../store/tokens.ts";
import { shareLookups } from "../../base/shared-lookup.ts";
import { VersionedCache } from "../../base/versioned-cache.ts";
import type { Actor } from "../rule.ts";
import { permissionsOf } from "./tokens.ts";

/**
 * The actor of a token. The caller may cache the actor until the store changes or `isCurrent` returns false.
 * `isCurrent` returns false if the token has expired, or if its use has to be recorded again.
 */
export type TokenHolder = Actor & {
  tokenId: string;
  organization: string;
  isCurrent: () => boolean;
  /** See `Caller.version`. */
  version: string | undefined;
};

/**
 * The maximum number of cached tokens, including unknown ones. Without a limit, a client that tries many tokens would
 * fill the memory.
 */
const MAX_TOKENS = 1_000;

const DAY_LENGTH = "2026-11-21".length;

/**
 * The length of an ISO 8601 time without its seconds. The server tries to write the last use of a token at most once
 * per minute. Otherwise each request would repeat the failed write while the store is busy or read-only.
 */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

const [MINUTE_MS, DAY_MS] = [60_000, 24 * 60 * 60_000];

type FoundToken = { record: TokenRecord; permissions: ReadonlySet<Permission>; version?: string };

export type TokenHolders = {
  /**
   * Returns the actor of a token. Returns undefined for an unknown, expired or revoked token. The last use is written
   * in the background. The request does not wait for the write, and succeeds even if the write fails.
   *
   * @param onRefused called before undefined is returned
   */
  find: (token: string, onRefused?: (refusal: TokenRefusal) => void) => Promise<TokenHolder | undefined>;
};

/**
 * Returns a finder that caches tokens. The finder reads a token again after each change of the store. Therefore a
 * revocation takes effect at once.
 */
export function openTokenHolders(store: Store, now: () => Date): TokenHolders {
  const found = new VersionedCache<Promise<FoundToken | undefined>>(() => store.version?.(), MAX_TOKENS);
  /** The tokens whose last use the server tried to write in the current minute. */
  const tried = { minute: "", ids: new Set<string>() };

  /**
   * Requests with the same token share one look-up until the store changes. While `store.version` is undefined, changes
   * can't be noticed, so each request has its own look-up.
   */
  const lookInFile = (hash: string): Promise<FoundToken | undefined> => {
    const asOf = found.refresh();
    const known = found.get(hash);
    if (known) return known;
    const token = store.read(async (tx) => {
      const record = await findTokenByHash(tx, hash);
      return record && { record, permissions: new Set(permissionsOf(record)) };
    });
    found.set(hash, token, { asOf, size: 1 });
    // A failed look-up is not cached, so that the next request tries again.
    token.catch(() => found.delete(hash));
    return token;
  };

  // Other machines may change the store at any time, so each request looks up its token. Concurrent ones share a query.
  const lookInDatabase = shareLookups<FoundToken>(async (hashes) => {
    const tokens = await store.read((tx) => findTokensByHash(tx, hashes), true);
    return new Map(
      tokens.map((record) => [
        record.token_sha256,
        { record, permissions: new Set(permissionsOf(record)), version: record.version },
      ]),
    );
  });
  const look = (hash: string) => (store.raisesVersions?.() ? lookInDatabase(hash) : lookInFile(hash));

  return {
    async find(token, onRefused) {
      const { record, permissions, version } = (isWellFormedToken(token) && (await look(sha256(token)))) || {};
      const at = now();
      const time = at.toISOString();
      if (!record || !permissions) {
        onRefused?.({ reason: "unknown" });
        return undefined;
      }
      const isExpired = record.expires_at !== null && record.expires_at <= time;
      if (record.revoked_at !== null || isExpired) {
        onRefused?.({ reason: record.revoked_at === null ? "expired" : "revoked", tokenId: record.id });
        return undefined;
      }
      // The last use is stored as a day. A day is enough to find unused tokens, and requires only one write per day.
      const today = time.slice(0, DAY_LENGTH);
      const minute = time.slice(0, MINUTE_LENGTH);
      const isRecorded = record.last_used_at === today;
      if (tried.minute !== minute) Object.assign(tried, { minute, ids: new Set<string>() });
      if (!isRecorded && !tried.ids.has(record.id)) {
        tried.ids.add(record.id);
        store.write((tx) => setTokenUsed(tx, record.id, today), record.org_id).catch(() => {});
      }
      // The holder is current until the token expires or its use has to be recorded again. If today's use is recorded,
      // the next record is due tomorrow. Otherwise the next attempt is due in the next minute.
      const period = isRecorded ? DAY_MS : MINUTE_MS;
      const periodEnd = (Math.floor(at.getTime() / period) + 1) * period;
      const end = Math.min(periodEnd, record.expires_at === null ? Infinity : Date.parse(record.expires_at));
      return {
        organizationId: record.org_id,
        organization: record.organization_key,
        permissions,
        tokenId: record.id,
        version,
        isCurrent: () => now().getTime() < end,
      };
    },
  };
}
