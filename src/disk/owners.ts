/**
 * Protects against files that another user of the machine plants in a folder that every user can write, such as /tmp.
 * A file of another user in any other folder is trusted: a team may share a checkout.
 */

import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { unfitFile } from "./file-errors.ts";

/** The permission of every user to write. */
const WRITABLE_BY_ALL = 0o002;

/**
 * Whether another user may have planted the file or folder at `path`: it belongs neither to this user nor to root, and
 * its folder, or the outermost folder of other users that contains it, is in a folder that every user can write. The
 * same is checked for the target of a link. False for a missing file, and on Windows, which has no user ids.
 */
export function isPlanted(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (process.getuid === undefined || !stats) return false;
  if (isOfAnotherUser(stats) && isInShared(path)) return true;
  return stats.isSymbolicLink() && isPlanted(realpathSync.native(path));
}

/** Refuses a file that formctl would execute or trust. @throws FILE_UNFIT if another user may have planted it */
export function refusePlanted(path: string): void {
  if (!isPlanted(path)) return;
  throw unfitFile(`${path} belongs to another user, and is in a folder that every user can write`, {
    hint: "Work in a folder of your own. If you trust the file, copy it there.",
  });
}

/** Whether every user can write to the folder, or to the folder above it that another user has put it into. */
function isInShared(path: string): boolean {
  const folder = dirname(path);
  if (folder === path) return false;
  const stats = lstatSync(folder);
  return (stats.mode & WRITABLE_BY_ALL) !== 0 || (isOfAnotherUser(stats) && isInShared(folder));
}

function isOfAnotherUser({ uid }: Stats): boolean {
  return uid !== 0 && uid !== process.getuid!();
}
