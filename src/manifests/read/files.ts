/** Which files a run reads: what was typed, folders whole, and nothing outside of the project. */

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { isInside } from "../../disk/inside.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { fileProblem } from "../problems.ts";

export const MAX_FILES = 20_000;

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);
const LAYOUT_FILE = /\.layout\.(?:yaml|yml|json)$/i;
/** The settings of a project, which stand at its root beside everything else. */
const PROJECT_FILE = /^formctl\.(?:yaml|yml|json)$/i;

export type FoundFile = {
  /** As people call it: what was typed, and the way from there. */
  name: string;
  /** Where it really is, links followed. */
  path: string;
  /** What it names must be in here. */
  root: string;
  /** Its name says that it is a layout: it is read where a manifest names it. */
  isLayout: boolean;
};

export type FindOptions = {
  /**
   * Files and folders as they were typed; `-` is standard input. A folder is read whole, recursively, in name order, but
   * for what begins with a dot, and node_modules.
   */
  paths: readonly string[];
  /** What `paths` are relative to, and what files are called by. */
  cwd: string;
  /** No file outside of this folder is read, unless it was typed, or lies below a folder that was. */
  root: string;
};

type Kind = Pick<Stats, "isDirectory" | "isFile">;

/**
 * The files below `paths`, each once, folders in the order of their names; `-` is none. A path that somebody typed is taken at its word;
 * links inside of a folder are followed as long as they stay in the project.
 */
export function findFiles({ paths, cwd, root }: FindOptions): { files: FoundFile[]; problems: Located[] } {
  const files: FoundFile[] = [];
  const problems: Located[] = [];
  const seen = new Set<string>();
  const project = realRoot(root);
  let isFull = false;

  /** What a path leads to, its links followed. */
  function follow(name: string, path: string): { real: string; stats: Stats } | undefined {
    return attempt(name, () => {
      const real = realpathSync.native(path);
      return { real, stats: statSync(real) };
    });
  }

  function visitTyped(path: string): void {
    const found = follow(path, resolve(cwd, path));
    if (found) visit(path, found.real, found.stats, rootFor(found.real, found.stats));
  }

  function visit(name: string, real: string, kind: Kind, within: string): void {
    // A file that two links lead to is read once, and a folder in itself ends here.
    if (seen.has(real)) return;
    seen.add(real);
    if (kind.isDirectory()) visitFolder(name, real, within);
    else if (!kind.isFile()) problems.push(fileProblem("PATH_UNREADABLE", name, "is neither a file nor a folder"));
    else if (files.length < MAX_FILES) {
      files.push({ name, path: real, root: within, isLayout: LAYOUT_FILE.test(name) });
    } else if (!isFull) {
      isFull = true;
      problems.push(fileProblem("PATH_LIMIT", name, `is one more than ${MAX_FILES} files. Name fewer folders at once`));
    }
  }

  function visitFolder(name: string, real: string, within: string): void {
    const entries = attempt(name, () => readdirSync(real, { withFileTypes: true })) ?? [];
    for (const entry of entries.filter(isWanted).sort(byName)) {
      const own = join(name, entry.name);
      const path = join(real, entry.name);
      if (!entry.isSymbolicLink()) visit(own, path, entry, within);
      else visitLink(own, path, within);
    }
  }

  function visitLink(name: string, path: string, within: string): void {
    if (!hasExtension(name) && !leadsToFolder(path)) return;
    const found = follow(name, path);
    if (!found) return;
    if (isInside(within, found.real)) return visit(name, found.real, found.stats, within);
    const message = "leads out of the project. Copy into it what is meant, or remove the link";
    problems.push(fileProblem("PATH_OUTSIDE", name, message));
  }

  /** What stands outside of the project was typed by a person, and is a project of its own. */
  function rootFor(real: string, stats: Stats): string {
    if (isInside(project, real)) return project;
    return stats.isDirectory() ? real : dirname(real);
  }

  function attempt<T>(name: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      problems.push(unreadable(name, error));
      return undefined;
    }
  }

  for (const path of paths) if (path !== "-") visitTyped(path);
  return { files, problems };
}

/** Files of the right kind, and folders that hold a person's own work. What a link leads to is seen later. */
function isWanted(entry: Dirent): boolean {
  const { name } = entry;
  if (name.startsWith(".") || name === "node_modules" || PROJECT_FILE.test(name)) return false;
  return entry.isDirectory() || entry.isSymbolicLink() || hasExtension(name);
}

function hasExtension(name: string): boolean {
  return EXTENSIONS.has(extname(name).toLowerCase());
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** By code units: the same order on every machine. */
function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

function realRoot(root: string): string {
  try {
    return realpathSync.native(root);
  } catch {
    return resolve(root);
  }
}

/** What the system says of a file, in words. */
export function unreadable(name: string, error: unknown): Located {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR")
    return fileProblem("PATH_MISSING", name, "there is no such file or folder");
  if (code === "EACCES" || code === "EPERM") return fileProblem("PATH_UNREADABLE", name, "may not be read");
  if (code === "ELOOP") return fileProblem("PATH_UNREADABLE", name, "is a link that leads to itself");
  return fileProblem("PATH_UNREADABLE", name, `can't be read: ${message}`);
}
