/** Manifests that stand beside those that were named: --prune must not take what they describe for nobody's. */

import { addressesOf } from "../../manifests/address.ts";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { invalidManifests } from "../../manifests/read/invalid-manifests.ts";
import { readManifests } from "../../manifests/read/read.ts";
import type { ManifestCode } from "../../manifests/problems.ts";
import type { CommandContext } from "../command.ts";

/**
 * The addresses, present and former, of the manifests in the folder that the project names, and in the files next to each
 * file that was typed. A folder that was typed is taken as the whole of what is meant.
 *
 * @param typed none: the folder that the project names
 * @throws MANIFESTS_INVALID where one of them can't be read: what it describes is not known, and might be deleted
 */
export async function addressesBeside(
  { cwd, env, settings: { manifests, root, variables } }: CommandContext,
  typed: readonly string[],
): Promise<Set<string>> {
  const paths = typed.filter((path) => path !== "-").flatMap((path) => neighbours(cwd, path));
  const isWhole = typed.length === 0 || typed.some((path) => resolve(cwd, path) === manifests);
  if (!isWhole && manifests !== undefined) paths.push(relative(cwd, manifests) || ".");
  if (paths.length === 0) return new Set();
  const set = await readManifests({ paths, cwd, root, env, variables, dropsContents: true });
  const unread = set.problems.filter(({ code, severity }) => severity === "error" && code !== NO_MANIFEST);
  if (unread.length > 0) throw invalidManifests(unread, set.sources);
  return new Set(set.manifests.flatMap(addressesOf));
}

/** Other YAML and JSON may stand there too. */
const NO_MANIFEST = "MANIFEST_KIND" satisfies ManifestCode;

/** The files in the folder of a file, as they would be typed. */
function neighbours(cwd: string, path: string): string[] {
  if (statSync(resolve(cwd, path)).isDirectory()) return [];
  const folder = dirname(path);
  return readdirSync(resolve(cwd, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_READ.test(entry.name) && entry.name !== basename(path))
    .map(({ name }) => join(folder, name));
}

/** A layout is read where a manifest names it, and settings are none. */
const IS_READ = /^(?!formctl\.)(?!.*\.layout\.).*\.(?:yaml|yml|json)$/i;
