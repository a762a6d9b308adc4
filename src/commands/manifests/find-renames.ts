/** What looks like a rename that a place has missed: told as a warning, before anything is made a second time or deleted. */

import { hasCode } from "../../error.ts";
import type { Plan } from "../../manifests/plan/planned.ts";
import { type NamingLock, renameWarning } from "../../manifests/plan/renames.ts";
import { type LikelyRename, likelyRenames } from "../../manifests/plan/renames.ts";
import type { Wanted } from "../../manifests/manifest.ts";
import type { Current } from "../../manifests/state.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { CommandContext } from "../command.ts";
import { addressesBeside } from "./beside.ts";

export type RenameSides = {
  wanted: readonly Wanted[];
  current: Current;
  lock: NamingLock;
  /** What manifests beside these describe; undefined: it was not read, and is where something looks like a rename. */
  described: ReadonlySet<string> | undefined;
};

/** By the address of the manifest. */
export async function findRenames(
  context: CommandContext,
  paths: readonly string[],
  { wanted, current, lock, described }: RenameSides,
): Promise<ReadonlyMap<string, LikelyRename>> {
  const found = likelyRenames(wanted, current, lock, described);
  if (found.size === 0 || described) return found;
  return likelyRenames(wanted, current, lock, await describedBeside(context, paths));
}

/** A warning needs less than a deletion does: what can't be read there describes nothing. */
async function describedBeside(context: CommandContext, paths: readonly string[]): Promise<Set<string>> {
  try {
    return await addressesBeside(context, paths);
  } catch (error) {
    if (hasCode(error, "MANIFESTS_INVALID")) return new Set();
    throw error;
  }
}

/** Those of what is planned. */
export function renameWarnings({ resources }: Plan, renames: ReadonlyMap<string, LikelyRename>): Located[] {
  return resources.flatMap(({ address }) => {
    const rename = renames.get(address);
    return rename ? [renameWarning(rename)] : [];
  });
}
