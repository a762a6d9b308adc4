/** Keeps the drafts that an edit replaces until they are saved again. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FormctlError } from "../base/error.ts";
import { MAX_STATE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { writeWhole } from "../disk/write-file.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { parseLimited } from "../schemas/json-limits.ts";
import { isJsonObject } from "../schemas/json.ts";
import { isIdentifier } from "../schemas/words.ts";

/**
 * Stores texts by the id of a layout. A `Map` stores them until the process ends, `draftFiles` in files. A text must be
 * stored durably before `set` resolves.
 */
export type KeptDrafts = {
  get(layoutId: string): Promise<string | undefined> | string | undefined;
  set(layoutId: string, text: string): unknown;
  delete(layoutId: string): unknown;
};

/** A draft that is being replaced. */
export type KeptDraft = {
  content: DraftContent;
  /** The digest of the content that replaces the draft. */
  replacedBy: string;
};

/**
 * Keeps drafts in the files of a folder, one for each layout. Only the user of this process can read them. Keep the
 * folder until the program ends without an error.
 *
 * ```ts
 * const keep = draftFiles("kept-drafts");
 * ```
 *
 * @param folder is created with the first file
 * @throws FILE_UNFIT, FILE_UNWRITABLE or the system error from the returned functions
 */
export function draftFiles(folder: string): KeptDrafts {
  const fileOf = (layoutId: string) => {
    if (isIdentifier(layoutId)) return join(folder, `${layoutId}.json`);
    throw new FormctlError("INVALID_VALUE", `${JSON.stringify(layoutId)} is not the id of a layout`);
  };
  return {
    get(layoutId) {
      try {
        return readWithin(fileOf(layoutId), MAX_STATE_BYTES).toString("utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    set: (layoutId, text) => writeWhole(fileOf(layoutId), text, 0o600),
    delete: (layoutId) => rm(fileOf(layoutId), { force: true }),
  };
}

/** Returns the kept draft of a layout. @throws INVALID_FILE if the text is not one of `keepDraft` */
export async function keptDraft(keep: KeptDrafts, layoutId: string): Promise<KeptDraft | undefined> {
  const text = await keep.get(layoutId);
  if (text === undefined) return undefined;
  const kept = parsed(text);
  if (isJsonObject(kept) && isJsonObject(kept["content"]) && typeof kept["replacedBy"] === "string")
    return kept as unknown as KeptDraft;
  throw new FormctlError(
    "INVALID_FILE",
    `the kept draft of the layout ${layoutId} can't be read`,
    "Restore the text that `set` stored, or delete it to give up the draft.",
  );
}

export async function keepDraft(keep: KeptDrafts, layoutId: string, draft: KeptDraft): Promise<void> {
  await keep.set(layoutId, JSON.stringify(draft));
}

function parsed(text: string): unknown {
  try {
    return parseLimited(text);
  } catch {
    return undefined;
  }
}
