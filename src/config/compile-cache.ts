/**
 * Lets Node keep the code that V8 compiles for the program, so that later commands start sooner. Node runs this code
 * without a check of its author, so no other user may be able to write to its folder.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { dirname, isAbsolute, join, relative } from "node:path";
import envPaths from "env-paths";

/** After this time, the code of another version or installation is removed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Turns on Node's compile cache in the cache folder of the user. If another user could write there, or the folder can't
 * be created, Node compiles the program as usual. A cache that the user has chosen or disabled for Node stays so.
 */
export function enableOwnCompileCache(version: string): void {
  if (process.env["NODE_DISABLE_COMPILE_CACHE"] || getCompileCacheDir() !== undefined) return;
  try {
    // The time distinguishes installations and builds of the same version.
    const installed = Math.trunc(statSync(import.meta.filename).mtimeMs).toString(36);
    const { cache } = envPaths("formctl", { suffix: "" });
    const folder = privateFolder(cache, `${version}-${installed}-node-${process.version}`);
    if (folder !== undefined) enableCompileCache(folder);
  } catch {
    // The home folder is missing or read-only.
  }
}

/** Creates a folder if it is missing. @returns its real path; undefined if another user could write to it */
function privateFolder(parent: string, name: string): string | undefined {
  // A relative path would lead to a folder of the project.
  if (!isAbsolute(parent)) return undefined;
  const path = join(parent, name);
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  const real = realpathSync(existing);
  if (!isProtected(real)) return undefined;
  const folder = join(real, relative(existing, path));
  if (folder !== real) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOld(dirname(folder));
  }
  const { uid, mode } = lstatSync(folder);
  const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0);
  return isPrivate ? folder : undefined;
}

/** Whether only this user and root can replace the folder, or write to it. True on Windows, which has no user ids. */
function isProtected(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = lstatSync(folder);
  const isOwn = uid === 0 || uid === process.getuid();
  if (!isOwn || ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)) return false;
  return dirname(folder) === folder || isProtected(dirname(folder));
}

function removeOld(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (Date.now() - lstatSync(folder).mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
