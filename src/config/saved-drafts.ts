/**
 * Remembers the drafts that this user saved. Servers don't report who saved a draft, and a push replaces drafts of other
 * users only with a confirmation.
 */

import { readFileSync } from "node:fs";
import { hasCode } from "../base/error.ts";
import { sha256 } from "../base/sha256.ts";
import type { LockHost } from "../disk/process-lock.ts";

/** `content` is the digest of the content, because a server may keep the id of a draft that another user changed. */
export type SavedDraft = { layoutId: string; draftId: string; content: string };

/** The number of remembered drafts. Older drafts are forgotten. */
const KEPT = 1_000;

/** Whether this user saved the draft. */
export function isSavedDraft(path: string, draft: SavedDraft): boolean {
  return readLines(path).includes(lineOf(draft));
}

/** Remembers a draft. Without a writable folder, the draft counts as a draft of another user. */
export async function rememberDraft(path: string, draft: SavedDraft, host: LockHost): Promise<void> {
  const { changePrivateFile } = await import("../disk/write-file.ts");
  const line = lineOf(draft);
  try {
    await changePrivateFile(path, host, async () => {
      const others = readLines(path).filter((each) => each !== line);
      return `${[...others, line].slice(-KEPT).join("\n")}\n`;
    });
  } catch (error) {
    if (!hasCode(error, "FILE_UNWRITABLE", "FILE_UNFIT", "FILE_HELD")) throw error;
  }
}

/** A hash, so that the file shows no ids. */
function lineOf({ layoutId, draftId, content }: SavedDraft): string {
  return sha256(JSON.stringify([layoutId, draftId, content]));
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
