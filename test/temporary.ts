/** Folders for tests. Each is searched for tokens before it is removed. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { searchFolder } from "./canary.ts";

/** Where no disk is asked about, one in memory will do: it is several times as fast. */
const MEMORY = "/dev/shm";

type Place = "anywhere" | "on disk";

/** A new, empty folder, and how it is removed. */
export function temporaryFolder(place: Place = "anywhere"): { path: string; remove: () => void } {
  const parent = place === "anywhere" && existsSync(MEMORY) ? MEMORY : tmpdir();
  const path = mkdtempSync(join(parent, "formctl-test-"));
  const remove = () => {
    searchFolder(path);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** @returns a function that answers a new, empty folder each time; all are removed when the tests of the file are done */
export function temporaryFolders(place: Place = "anywhere"): () => string {
  const root = temporaryFolder(place);
  afterAll(() => root.remove());
  let count = 0;
  return () => {
    const folder = join(root.path, String(++count));
    mkdirSync(folder);
    return folder;
  };
}
