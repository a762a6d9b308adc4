/** From the paths that were typed, or the folder that the project names, to manifests that are read and checked. */

import type { Located } from "../../schemas/diagnostic.ts";
import { InvalidManifests } from "../../manifests/invalid-manifests.ts";
import type { ManifestSet } from "../../manifests/read.ts";
import type { CommandContext } from "../command.ts";

export type LoadedManifests = {
  set: ManifestSet;
  /** Of reading and of checking, in the order of files and lines. */
  problems: readonly Located[];
  /** The checks that could not run, and why, in words for the person. */
  notRun: readonly string[];
};

export type LoadOptions = {
  /** A file that says which fields, roles and scripts there are. */
  organizationFile?: string | undefined;
};

/**
 * Reads and checks, without asking a server anything.
 *
 * @param paths as they were typed; none: the folder that the setting `manifests` names
 * @throws UsageError where no path was typed and none is set
 */
export declare function loadManifests(
  context: CommandContext,
  paths: readonly string[],
  options?: LoadOptions,
): Promise<LoadedManifests>;

/**
 * The manifests, where nothing is wrong with them.
 *
 * @param strict a warning is wrong too
 * @throws InvalidManifests with every problem, or where there is no manifest at all
 */
export function requireSound({ set, problems }: LoadedManifests, { strict }: { strict: boolean }): ManifestSet {
  if (strict ? problems.length > 0 : problems.some(({ severity }) => severity === "error")) {
    throw new InvalidManifests(problems, set.sources);
  }
  return set;
}
