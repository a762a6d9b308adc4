/**
 * Limits the requests of one API token and the failed authentications of one client. Each token and each client has a
 * bucket: the number of requests that are still allowed. The bucket refills at `rate`, and holds at most `burst`
 * requests. Each process has its own buckets.
 */

import { sha256 } from "../base/sha256.ts";
import { addressGroup } from "./connections.ts";

type BucketOptions = {
  /** The requests per second in the long run. At least 1, so that a wait never exceeds a second. */
  rate: number;
  /** The maximum number of requests at once. */
  burst: number;
  /** A clock in milliseconds. */
  now: () => number;
  /** The maximum number of buckets. At the limit, the bucket that was used longest ago is removed. */
  maxKeys?: number;
};

/** The buckets by key. A key that is not stored has a full bucket. */
export class Buckets {
  readonly #options: Required<BucketOptions>;
  readonly #buckets = new Map<string, { level: number; at: number }>();

  constructor(options: BucketOptions) {
    this.#options = { maxKeys: 10_000, ...options };
  }

  /** Takes one request from the bucket of a key. @returns false if the bucket is empty */
  take(key: string): boolean {
    const { now, maxKeys } = this.#options;
    const level = this.level(key);
    const isTaken = level >= 1;
    // The key is inserted again, because the keys are ordered by their last use.
    this.#buckets.delete(key);
    this.#buckets.set(key, { level: isTaken ? level - 1 : level, at: now() });
    if (this.#buckets.size > maxKeys) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return isTaken;
  }

  /** Returns the number of requests that the bucket of a key still allows, with a fraction. */
  level(key: string): number {
    const { rate, burst, now } = this.#options;
    const bucket = this.#buckets.get(key);
    return bucket ? Math.min(burst, bucket.level + ((now() - bucket.at) / 1000) * rate) : burst;
  }

  /** Whether the bucket of the key is not full. Removes a full bucket. */
  has(key: string): boolean {
    if (!this.#buckets.has(key)) return false;
    if (this.level(key) < this.#options.burst) return true;
    this.#buckets.delete(key);
    return false;
  }
}

export type RateLimits = {
  /** Counts a request of a token. @returns false if the token has no request left */
  takeRequest(tokenId: string): boolean;
  /**
   * Whether to refuse an authorization without a lookup of its token. This happens after too many failures from the
   * address. A stored valid authorization is not refused.
   */
  refuses(address: string, authorization: string): boolean;
  /** Records the result of a lookup. Counts a failure. Stores a valid authorization if the address has failures. */
  countLookup(address: string, authorization: string, isValid: boolean): void;
};

/** A client may send `burst` invalid tokens at once. In the long run, it may send `rate` invalid tokens per second. */
const FAILED = { rate: 1, burst: 20 };

/** The maximum size of `valid` below. */
const MAX_VALID = 1_000;

/**
 * Opens the limits of a server.
 *
 * @param perSecond the requests of one token per second, a whole number. 0 means no limit. Twice as many requests are
 *   allowed at once
 */
export function openRateLimits({ perSecond, now }: { perSecond: number; now: () => number }): RateLimits {
  const requests = perSecond > 0 ? new Buckets({ rate: perSecond, burst: 2 * perSecond, now }) : undefined;
  const failures = new Buckets({ ...FAILED, now });
  /**
   * The hashes of valid authorizations from addresses with failures. They are accepted even from a refused address,
   * because several clients may share the address.
   */
  const valid = new Set<string>();
  return {
    takeRequest: (tokenId) => requests?.take(tokenId) ?? true,
    refuses(address, authorization) {
      const client = addressGroup(address);
      return failures.has(client) && failures.level(client) < 1 && !valid.has(sha256(authorization));
    },
    countLookup(address, authorization, isValid) {
      const client = addressGroup(address);
      if (!isValid) {
        failures.take(client);
        valid.delete(sha256(authorization));
      } else if (failures.has(client)) {
        const key = sha256(authorization);
        valid.delete(key);
        valid.add(key);
        if (valid.size > MAX_VALID) valid.delete(valid.keys().next().value!);
      }
    },
  };
}
