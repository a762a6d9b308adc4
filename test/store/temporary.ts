/** A folder for one test file, removed when its tests are done. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** @returns a function that answers a new, empty folder each time */
export function temporaryFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "formctl-store-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let count = 0;
  return () => {
    const folder = join(root, String(++count));
    mkdirSync(folder);
    return folder;
  };
}
