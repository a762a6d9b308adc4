/** Did you mean …? The known word that a mistyped one is closest to. */

import { distance } from "fastest-levenshtein";

const MAX_LENGTH = 100;
const MAX_CANDIDATES = 2_000;
const MAX_DISTANCE = 3;

/**
 * The candidate that `word` was most likely meant to be; none if nothing is close enough. The first of equals wins.
 * Words over 100 characters are ignored and 2,000 candidates are looked at: the work stays small whatever a file says.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  // Half of a short word may differ, so that "mian" finds "main" and "a" does not find "b".
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
