/** Finds the files below the paths of a request, and opens them. */

import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { MAX_FILE_BYTES } from "../../base/file-limits.ts";
import { reasonOf } from "../../disk/file-errors.ts";
import { isInside } from "../../disk/links.ts";
import { decode, tooLarge } from "../../documents/decode.ts";
import { type Document, readDocuments, type Reread } from "../../documents/document.ts";
import { LocatedError } from "../../documents/located-error.ts";
import { locateProblem } from "../../documents/problems.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { detached } from "../../schemas/json.ts";
import { sha256 } from "../../base/sha256.ts";
import { fileProblem } from "../problems.ts";

export const MAX_FILES = 20_000;
/** The name of standard input in messages. */
export const STDIN = "<stdin>";

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);
const LAYOUT_FILE = /\.layout\.(?:yaml|yml|json)$/i;
/** Matches the settings file of a project, which may be in the same folder as manifests. */
const PROJECT_FILE = /^formctl\.(?:yaml|yml|json)$/i;

export type FoundFile = {
  /** The name for messages. Example: `forms/intake.yaml`, if the user typed the folder `forms`. */
  name: string;
  /** The real path, with links resolved. */
  path: string;
  /** The folder that must contain the layout files of this file's manifests. */
  root: string;
  /** Whether the name is a layout file's name. A layout file is read only if a manifest references it. */
  isLayout: boolean;
};

export type FindOptions = {
  /** Files and folders as given by the user; `-` is standard input. */
  paths: readonly string[];
  /** The folder to which `paths` are relative. */
  cwd: string;
  /** The project folder. No file outside it is read, except the given paths and files below them. */
  root: string;
};

/**
 * Finds the files below `paths`, each once. Folders are read recursively in the order of names, without hidden files
 * and node_modules. A link in a folder must point inside the project. In a given folder outside the project, a link
 * must point inside this folder. A link to a folder or possible manifest elsewhere is reported as a problem.
 */
export function findFiles({ paths, cwd, root }: FindOptions): { files: FoundFile[]; problems: Located[] } {
  const files: FoundFile[] = [];
  const problems: Located[] = [];
  const seen = new Set<string>();
  const project = realRoot(root);
  let isFull = false;

  function resolveLinks(name: string, path: string): { real: string; stats: Stats } | undefined {
    return attempt(name, () => {
      const real = realpathSync.native(path);
      return { real, stats: statSync(real) };
    });
  }

  function visitGiven(path: string): void {
    const found = resolveLinks(path, resolve(cwd, path));
    if (found) visit(path, found.real, found.stats, rootFor(found.real, found.stats));
  }

  function visit(name: string, real: string, kind: Pick<Stats, "isDirectory" | "isFile">, within: string): void {
    // This also ends the recursion if a link points to a parent folder.
    if (seen.has(real)) return;
    seen.add(real);
    if (kind.isDirectory()) visitFolder(name, real, within);
    else if (!kind.isFile()) problems.push(fileProblem("PATH_UNREADABLE", name, "neither a file nor a folder"));
    else if (files.length < MAX_FILES) {
      files.push({ name, path: real, root: within, isLayout: LAYOUT_FILE.test(name) });
    } else if (!isFull) {
      isFull = true;
      problems.push(fileProblem("PATH_LIMIT", name, `more than ${MAX_FILES} files. Specify fewer folders`));
    }
  }

  function visitFolder(name: string, real: string, within: string): void {
    const entries = attempt(name, () => readdirSync(real, { withFileTypes: true })) ?? [];
    for (const entry of entries.filter(isRelevant).sort(byName)) {
      const entryName = join(name, entry.name);
      const path = join(real, entry.name);
      if (!entry.isSymbolicLink()) visit(entryName, path, entry, within);
      else visitLink(entryName, path, within);
    }
  }

  function visitLink(name: string, path: string, within: string): void {
    if (!hasExtension(name) && !leadsToFolder(path)) return;
    const found = resolveLinks(name, path);
    if (!found) return;
    if (isInside(within, found.real)) return visit(name, found.real, found.stats, within);
    const message = "the link points outside the project. Copy its target into the project, or remove the link";
    problems.push(fileProblem("PATH_OUTSIDE", name, message));
  }

  /**
   * Returns the folder that links, and references to layout files, must not leave: the project folder. For a given path
   * outside the project, returns the given folder, or the folder of the given file.
   */
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

  for (const path of paths) if (path !== "-") visitGiven(path);
  return { files, problems };
}

/** Whether an entry of a folder may be a manifest, or a folder of manifests. The target of a link is checked later. */
function isRelevant(entry: Dirent): boolean {
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

/** Compares names by code units, which is the same order on every machine. */
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

function unreadable(name: string, error: unknown): Located {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return fileProblem("PATH_MISSING", name, "no such file or folder");
  return fileProblem("PATH_UNREADABLE", name, `can't be read: ${reasonOf(error)}`);
}

/** The documents of a file. If the file can't be read, it has problems and no documents. */
export type OpenedFile = {
  documents: Document[];
  text: string;
  problems: Located[];
  /**
   * Returns the text. A file is read again; the text of standard input is kept in memory. Undefined if the file can't
   * be read or has changed since it was opened.
   */
  reread: Reread;
};

/** Reads and parses a file. @param bytes the content, if it was read before */
export function openFile(name: string, path: string, bytes?: Uint8Array): OpenedFile {
  const read = bytes ?? readBytes(name, path);
  if (!(read instanceof Uint8Array)) return { documents: [], text: "", problems: [read], reread: () => undefined };
  return parseFile(name, read, rereadFile(name, path, sha256(read)));
}

/** @param digest the digest of the bytes that were read first */
function rereadFile(name: string, path: string, digest: string): Reread {
  return () => {
    const read = readBytes(name, path);
    return read instanceof Uint8Array && sha256(read) === digest ? decode(read).text : undefined;
  };
}

export function readBytes(name: string, path: string): Uint8Array | Located {
  try {
    const { size } = statSync(path);
    // The size is checked first, so that a large file is never read into memory.
    if (size > MAX_FILE_BYTES) return tooLargeFile(name, size);
    return readFileSync(path);
  } catch (error) {
    return unreadable(name, error);
  }
}

function tooLargeFile(name: string, size: number): Located {
  return locateProblem(name, tooLarge(size), () => ({ line: 1, column: 1 }));
}

/**
 * Parses the bytes of a file.
 *
 * @param reread reads the text again; if absent, the text is kept in memory
 */
export function parseFile(name: string, bytes: Uint8Array, reread?: Reread): OpenedFile {
  try {
    const documents = readDocuments(bytes, name, reread);
    const text = documents[0]?.text ?? "";
    return { documents, text, problems: [], reread: reread ?? keep(text) };
  } catch (error) {
    if (!(error instanceof LocatedError)) throw error;
    const text = error.sources.get(name) ?? "";
    return { documents: [], text, problems: error.problems.map(detached), reread: reread ?? keep(text) };
  }
}

/** A separate function, because a closure created inside `parseFile` would keep the documents in memory. */
function keep(text: string): Reread {
  return () => text;
}

/**
 * The texts of files, by name. Each access reads the text again, because all texts together would need much memory. A
 * file that has changed meanwhile has no text.
 */
export class FileTexts implements ReadonlyMap<string, string> {
  readonly #files = new Map<string, Reread>();
  #last: { name: string; text: string | undefined } | undefined;

  add(name: string, reread: Reread): void {
    this.#files.set(name, reread);
  }

  get size(): number {
    return this.#files.size;
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  get(name: string): string | undefined {
    if (this.#last?.name !== name) this.#last = { name, text: this.#files.get(name)?.() };
    return this.#last.text;
  }

  keys(): MapIterator<string> {
    return this.#files.keys();
  }

  *entries(): MapIterator<[string, string]> {
    for (const name of this.keys()) yield [name, this.get(name) ?? ""];
  }

  *values(): MapIterator<string> {
    for (const [, text] of this) yield text;
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(visit: (text: string, name: string, texts: ReadonlyMap<string, string>) => void): void {
    for (const [name, text] of this) visit(text, name, this);
  }
}
