/** A folder for one test file, removed when its tests are done. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Where no disk is asked about, one in memory will do: it is several times as fast. */
const MEMORY = "/dev/shm";

/** @returns a function that answers a new, empty folder each time */
export function temporaryFolders(place: "anywhere" | "on disk" = "anywhere"): () => string {
  const parent = place === "anywhere" && existsSync(MEMORY) ? MEMORY : tmpdir();
  const root = mkdtempSync(join(parent, "formctl-store-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  return () => {
    const folder = join(root, String(++count));
    mkdirSync(folder);
    return folder;
  };
}
