/** Changes a file of the person's own: one process at a time, either the old file or the new one, readable by its owner only. */

import { basename, dirname } from "node:path";
import { type Turns, waitToHold } from "../disk/hold-in-turn.ts";
import { makeFolder } from "../disk/make-folder.ts";
import { clearDrafts, writeWhole } from "../disk/whole-file.ts";

/**
 * The folder is made where it is missing. A link in place of the file is replaced, and not followed.
 *
 * @param change reads what the file says now, when no other process changes it. @returns its new text; undefined: it stays
 * @throws FILE_UNWRITABLE, and the file is as it was; FILE_HELD where another process does not let go
 */
export async function changePrivateFile(
  path: string,
  turns: Turns,
  change: () => Promise<string | undefined>,
): Promise<void> {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  const turn = await waitToHold(folder, { name: "lock", file: basename(path) }, turns);
  try {
    const text = await change();
    if (text !== undefined) await writeWhole(path, text, 0o600);
    await clearDrafts(folder);
  } finally {
    await turn.release();
  }
}
