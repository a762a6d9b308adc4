/** What `--target` chooses of a plan. */

import { FormctlError } from "../../error.ts";
import { nearest } from "../../schemas/nearest.ts";

/**
 * @param targets addresses; empty: all
 * @param known the addresses that there are
 * @throws USAGE
 */
export function targetFilter(
  targets: readonly string[],
  known: readonly { address: string }[],
): (each: { address: string }) => boolean {
  if (targets.length === 0) return () => true;
  const addresses = new Set(known.map(({ address }) => address));
  const unknown = targets.filter((target) => !addresses.has(target));
  if (unknown.length > 0) {
    const names = unknown.map((target) => `"${target}"`).join(", ");
    throw new FormctlError("USAGE", `no manifest has the address ${names}`, wayOut(unknown[0]!, [...addresses]));
  }
  const chosen = new Set(targets);
  return ({ address }) => chosen.has(address);
}

function wayOut(target: string, addresses: readonly string[]): string | undefined {
  // A name alone is what people type first.
  const named = addresses.filter((address) => address.endsWith(`/${target}`));
  const near = named.length === 1 ? named[0] : nearest(target, addresses);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return addresses[0] === undefined ? undefined : `An address is written as a plan shows it: "${addresses[0]}".`;
}
