/** The one way to make a folder. The recursive call of Node never ends where a folder such as /proc takes none, and hides the reason. */

import { mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { asUnwritable } from "./unwritable-file.ts";

/** Makes a folder and those above it that are missing. @param mode of those that are made @throws FILE_UNWRITABLE */
export function makeFolder(path: string, mode?: number): void {
  try {
    makeFolders(path, mode);
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

/** As `makeFolder`. @throws the system's own error */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  let folder = resolve(path);
  let stats = statOf(folder);
  while (!stats && dirname(folder) !== folder) {
    missing.push(folder);
    folder = dirname(folder);
    stats = statOf(folder);
  }
  if (stats && !stats.isDirectory())
    throw refusal(missing.length === 0 ? "EEXIST" : "ENOTDIR", `${folder} is not a folder`);
  for (const each of missing.toReversed()) make(each, mode);
}

/** Each is tried once: where the one above it is there, and it can't be made in it, that is the answer. */
function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === "EEXIST" && statOf(folder)?.isDirectory()) return;
    throw code === "ENOENT" ? refusal("ENOTSUP", `no folder can be made in ${dirname(folder)}`) : error;
  }
}

/** @returns undefined where nothing is */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function refusal(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code, syscall: "mkdir" });
}
