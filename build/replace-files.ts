/** Replaces the files of a folder that other processes use. */

import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Moves all files of a folder to another folder on the same file system, and removes the other files there. At each
 * moment, a process finds each file that both contents have, the old one or the new one.
 */
export function replaceFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const [files, existing] = [from, to].map(filesOf) as [string[], string[]];
  const old = new Set(existing);
  // A file that replaces another one refers to files that are new. The names of these contain a hash.
  const inOrder = [...files.filter((file) => !old.has(file)), ...files.filter((file) => old.has(file))];
  for (const file of inOrder) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  }
  const kept = new Set(files);
  for (const file of existing) if (!kept.has(file)) rmSync(join(to, file));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
