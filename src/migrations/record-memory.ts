/**
 * Remembers in the state folder of the project which layout of a target contained the record of migrations. Without this
 * memory, a layout that another user archived, renamed or emptied would look like a target without migrations. The
 * author of a repository can write the memory too, so it only leads to a refusal.
 */

import { dirname, join } from "node:path";
import { makeMachineFolder } from "../disk/folders.ts";
import { readIfExists, refuseLinks } from "../disk/links.ts";
import { writeWhole } from "../disk/write-file.ts";
import { hasCode } from "../error.ts";
import { runsFolder } from "../manifests/project/context.ts";
import type { ProjectTarget } from "../manifests/project/target.ts";
import { isIdentifier } from "../schemas/words.ts";
import { sha256 } from "../sha256.ts";

export type RecordMemory = {
  /** Returns the id of the layout that contained the record. Undefined if none is known. */
  read(): Promise<string | undefined>;
  /** Remembers a layout; undefined forgets it. A folder that can't be written is ignored. */
  write(layoutId: string | undefined): Promise<void>;
};

/** Opens the memory of a target. @param root the root of the project */
export async function recordMemory(root: string, target: ProjectTarget): Promise<RecordMemory> {
  const folder = runsFolder({ root, target });
  const path = join(folder, `migrations-${sha256(await target.key()).slice(0, 16)}`);
  return {
    async read() {
      await refuseLinks(path, dirname(folder));
      const id = (await readIfExists(path))?.trim() ?? "";
      return isIdentifier(id) ? id : undefined;
    },
    async write(layoutId) {
      try {
        await makeMachineFolder(folder);
        await writeWhole(path, `${layoutId ?? ""}\n`, 0o600);
      } catch (error) {
        if (!hasCode(error, "FILE_UNWRITABLE", "FILE_UNFIT")) throw error;
      }
    },
  };
}
