/**
 * Caches the answers to GET requests. An answer depends on the URL, the Host, the token and the data. A cached answer
 * is valid until the data changes or the token expires.
 */

import type { OperationName } from "../schemas/operations.ts";
import type { Caller } from "../service.ts";
import { sha256 } from "../base/sha256.ts";
import { VersionedCache, type VersionOf } from "../base/versioned-cache.ts";
import type { Headers } from "./response.ts";

/** What identifies a GET request. `url` includes the host: `http://localhost:8080/v1/currencies`. */
export type Question = { url: string; authorization: string | null };

/** An answer without the headers that differ between two equal requests. */
export type Answer = { status: number; headers: Headers; text: string };

/** An answer with its operation and the caller who got it. */
export type CachedAnswer = Answer & { operation: OperationName; caller: Caller };

/**
 * The maximum memory of all cached answers together, and of one answer, in bytes. A character takes at most two bytes.
 */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The estimated memory of an answer besides its text and its URL. */
const OVERHEAD_BYTES = 1_024;

export class AnswerCache {
  readonly #answers: VersionedCache<CachedAnswer>;
  /** Answers of a store that knows only the version of each organization. `caller.version` is the version of an answer. */
  readonly #ofOrganizations = new VersionedCache<CachedAnswer>(() => 0, MAX_BYTES);

  /** @param dataVersion returns a number that changes with the data; undefined if the number is unknown */
  constructor(dataVersion: VersionOf) {
    this.#answers = new VersionedCache(dataVersion, MAX_BYTES);
  }

  /** Returns the current version of the data. Pass it to `set` with the answer that is computed afterwards. */
  refresh(): number | undefined {
    return this.#answers.refresh();
  }

  /**
   * Returns the cached answer to an equal request. Undefined if there is none, the data has changed, or the token has
   * expired.
   */
  find(question: Question): CachedAnswer | undefined {
    if (question.authorization === null || this.refresh() === undefined) return undefined;
    const key = keyOf(question);
    const answer = this.#answers.get(key);
    if (!answer || answer.caller.isCurrent()) return answer;
    this.#answers.delete(key);
    return undefined;
  }

  /**
   * Returns the cached answer to an equal request of the caller, if the records of the organization have not changed
   * between the look-ups of the token for both requests.
   */
  findFor({ version }: Caller, question: Question): CachedAnswer | undefined {
    if (version === undefined) return undefined;
    this.#ofOrganizations.refresh();
    const answer = this.#ofOrganizations.get(keyOf(question));
    return answer?.caller.version === version ? answer : undefined;
  }

  /** @param asOf the version of the data before the token was looked up */
  set(question: Question, answer: CachedAnswer, asOf: number | undefined): void {
    const size = 2 * (answer.text.length + question.url.length) + OVERHEAD_BYTES;
    if (size > MAX_ANSWER_BYTES) return;
    // The answer may be newer than the version of its caller: the records were read later. It is never older.
    if (answer.caller.version !== undefined) this.#ofOrganizations.set(keyOf(question), answer, { asOf: 0, size });
    else this.#answers.set(keyOf(question), answer, { asOf, size });
  }
}

/** The token is hashed, so that the cache does not contain the tokens of callers. */
function keyOf({ url, authorization }: Question): string {
  return `${sha256(authorization ?? "")} ${url}`;
}
