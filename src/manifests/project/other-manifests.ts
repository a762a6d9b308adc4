/**
 * Reads the manifests next to those of a request. The resources that they describe are neither pruned nor reported as
 * renamed.
 */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { hasCode } from "../../error.ts";
import { addressesOf } from "../address.ts";
import type { ManifestCode } from "../problems.ts";
import { invalidManifests, readManifests } from "../read/read-manifests.ts";
import type { ProjectContext } from "./context.ts";

/**
 * Returns the current and former addresses of the manifests in the project's folder, unless the request contains this
 * folder, and in the files next to each file of the request. A folder in the request has no neighbors.
 *
 * @param paths if empty, the project's folder of manifests
 * @throws MANIFESTS_INVALID if one of them can't be read, because the resources that it describes might be deleted
 */
export async function neighborAddresses(
  { cwd, root, manifests, variables, host }: ProjectContext,
  paths: readonly string[],
): Promise<Set<string>> {
  const beside = paths.filter((path) => path !== "-").flatMap((path) => filesBeside(cwd, path));
  const isWhole = paths.length === 0 || paths.some((path) => resolve(cwd, path) === manifests);
  if (!isWhole && manifests !== undefined) beside.push(relative(cwd, manifests) || ".");
  if (beside.length === 0) return new Set();
  const set = await readManifests({ paths: beside, cwd, root, env: host.env, variables, dropsContents: true });
  const unreadable = set.problems.filter(({ code, severity }) => severity === "error" && code !== NOT_A_MANIFEST);
  if (unreadable.length > 0) throw invalidManifests(unreadable, set.sources);
  return new Set(set.manifests.flatMap(addressesOf));
}

/**
 * Like {@link neighborAddresses}, but returns an empty set if one of the neighbors can't be read. Used for rename
 * hints, which are only guesses.
 */
export async function readableNeighborAddresses(
  context: ProjectContext,
  paths: readonly string[],
): Promise<Set<string>> {
  try {
    return await neighborAddresses(context, paths);
  } catch (error) {
    if (hasCode(error, "MANIFESTS_INVALID")) return new Set();
    throw error;
  }
}

/** The code of files that are not manifests: a folder may also contain other YAML and JSON files. */
const NOT_A_MANIFEST = "MANIFEST_KIND" satisfies ManifestCode;

function filesBeside(cwd: string, path: string): string[] {
  if (statSync(resolve(cwd, path)).isDirectory()) return [];
  const folder = dirname(path);
  return readdirSync(resolve(cwd, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_MANIFEST_FILE.test(entry.name) && entry.name !== basename(path))
    .map(({ name }) => join(folder, name));
}

/**
 * Matches names of manifest files. Excludes layout files, which are read only if a manifest references them, and
 * settings files.
 */
const IS_MANIFEST_FILE = /^(?!formctl\.)(?!.*\.layout\.).*\.(?:yaml|yml|json)$/i;
