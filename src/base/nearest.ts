/** Suggests the known word that is most similar to a mistyped one. */

import { distance } from "fastest-levenshtein";

const MAX_LENGTH = 100;
const MAX_CANDIDATES = 2_000;
const MAX_DISTANCE = 3;

/**
 * Returns the candidate that is most similar to `word`. Undefined if no candidate is similar enough. Of equally similar
 * candidates, returns the first. To limit the time, words longer than 100 characters are ignored. At most 2,000
 * candidates are compared.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  // At most half of a short word may differ: "mian" finds "main", but "a" does not find "b".
  let limit = Math.min(MAX_DISTANCE, Math.floor(word.length / 2));
  let looked = 0;
  for (const candidate of candidates) {
    looked += 1;
    if (looked > MAX_CANDIDATES) break;
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - word.length) > limit) continue;
    const found = distance(wanted, candidate.toLowerCase());
    if (found > limit) continue;
    if (found === 0) return candidate;
    best = candidate;
    limit = found - 1;
  }
  return best;
}
