/** Folders for tests. Each folder is searched for tokens before it is removed. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { searchFolder } from "./canary.ts";
import { perFile } from "./per-file.ts";
import { memoryFolder } from "./run/memory-folder.ts";

type Place = "anywhere" | "on disk";

/** Creates an empty folder. `remove` searches it for tokens and deletes it. */
export function temporaryFolder(place: Place = "anywhere"): { path: string; remove: () => void } {
  const parent = (place === "anywhere" ? memoryFolder() : undefined) ?? tmpdir();
  const path = mkdtempSync(join(parent, "formctl-test-"));
  const remove = () => {
    searchFolder(path);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** Returns a function that creates an empty folder in each call. All are deleted after the tests of the file. */
export function temporaryFolders(place: Place = "anywhere"): () => string {
  const root = perFile(
    () => temporaryFolder(place),
    ({ remove }) => remove(),
  );
  let count = 0;
  return () => {
    const folder = join(root().path, String(++count));
    mkdirSync(folder);
    return folder;
  };
}
