/** `.formctl/runs`: what is of this machine, and doesn't belong into a repository. */

import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { requireFolders } from "./unfit-file.ts";

/**
 * Makes the folder where it is missing.
 *
 * @throws FILE_UNFIT where it, or the one that it is in, is a link or none; FILE_UNWRITABLE where it can't be made
 */
export async function makeMachineFolder(folder: string): Promise<void> {
  const home = dirname(folder);
  await requireFolders(folder, home);
  makeFolder(home);
  makeFolder(folder, 0o700);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(() => undefined);
}
