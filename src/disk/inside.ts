/** Whether a path stays in a folder after its links are followed: links in a repository may lead anywhere. */

import { realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { unfitFile } from "./unfit-file.ts";

/** @param path and folder as they are really, or both as they were typed */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path below a folder stays below it, as far as it exists. */
export function staysInside(folder: string, path: string): boolean {
  return isInside(realOf(folder), realOf(path));
}

/**
 * For what is to be written where a person has typed. A path outside of the project is the person's own.
 *
 * @throws FILE_UNFIT where the path is in the project, and a link on its way leads out
 */
export function refuseLeadingOut(path: string, project: string): void {
  if (!isInside(resolve(project), resolve(path)) || staysInside(project, path)) return;
  throw unfitFile(`${path} leads out of the project through a link, and nothing is written there`, {
    hint: `If that is what you want, type where it leads to: ${realOf(path)}`,
  });
}

/** Where a path is, its links followed; of one that is not there, where it would be. */
function realOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute
      ? absolute
      : resolve(realOf(parent), absolute.slice(parent.length).replace(/^[\\/]/, ""));
  }
}
