/** What `--target` chooses of a plan. */

import { nearest } from "../../schemas/nearest.ts";
import { UnknownTargets } from "../current/read-errors.ts";

/**
 * @param targets addresses; empty: all
 * @param known the addresses that there are
 * @throws UnknownTargets
 */
export function targetFilter(
  targets: readonly string[],
  known: readonly { address: string }[],
): (each: { address: string }) => boolean {
  if (targets.length === 0) return () => true;
  const addresses = new Set(known.map(({ address }) => address));
  const unknown = targets.filter((target) => !addresses.has(target));
  if (unknown.length > 0) {
    const near = nearest(unknown[0]!, addresses);
    throw new UnknownTargets(unknown, near === undefined ? undefined : `Did you mean "${near}"?`);
  }
  const chosen = new Set(targets);
  return ({ address }) => chosen.has(address);
}
