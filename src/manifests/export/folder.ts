/** Reads the existing manifests of a folder for an export, together with the documents to edit. */

import { readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Located } from "../../schemas/diagnostic.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { problemCollector } from "../problems.ts";
import { type Environment, substitute } from "../read/environment.ts";
import { isInside } from "../../disk/links.ts";
import { findFiles, type FoundFile, openFile, type OpenedFile } from "../read/files.ts";
import { openLayouts } from "../read/layout-files.ts";
import type { Manifest } from "../manifest.ts";
import { hasKind, readManifest } from "../read/read-manifest.ts";

/** A document of a file: `raw` as in the file, `value` after environment variables are substituted. */
export type FolderDocument = { file: FolderFile; index: number; raw: JsonObject; value: JsonObject };
/** `isElsewhere` is true if the real path is not in the folder, because of a link or a reference to another folder. */
export type FolderFile = { name: string; path: string; isElsewhere: boolean; text: string };

export type FolderManifest = {
  manifest: Manifest;
  document: FolderDocument;
  /** The layout file. Undefined if the layout is in the manifest, or if there is none. */
  layoutDocument: FolderDocument | undefined;
};

export type Folder = {
  manifests: FolderManifest[];
  /**
   * The problems of the files. An error means that a manifest may not have been read, so an export could write it a
   * second time.
   */
  problems: Located[];
  sources: ReadonlyMap<string, string>;
};

/**
 * Reads all manifests of a folder.
 *
 * @param into an existing folder, relative to `cwd`
 * @param root the project; layout files must be in it
 */
export function readFolder({
  into,
  cwd,
  root,
  env,
}: {
  into: string;
  cwd: string;
  root: string;
  env: Environment;
}): Folder {
  const real = realpathSync.native(resolve(cwd, into));
  const { files, problems } = findFiles({ paths: [into], cwd, root });
  const sources = new Map<string, string>();
  const opened = new Map<string, OpenedFile>();
  const open = (name: string, path: string) => {
    const known = opened.get(path) ?? openFile(name, path);
    if (!opened.has(path)) {
      opened.set(path, known);
      sources.set(name, known.text);
      problems.push(...known.problems);
    }
    return known;
  };
  const layouts = openLayouts({
    env,
    onFile: (name, file) => {
      sources.set(name, file.text);
      problems.push(...file.problems);
    },
    onProblem: (problem) => problems.push(problem),
    known: (path) => opened.get(path),
  });
  const documentOf = (file: Pick<FoundFile, "name" | "path">, index: number): FolderDocument | undefined => {
    const { documents } = open(file.name, file.path);
    const raw = documents[index]?.value;
    const value = documents[index] && substitute(documents[index], env).value;
    if (!isJsonObject(raw) || !isJsonObject(value)) return undefined;
    // Reads the file again: the text of a parsed document lacks the byte order mark, which an edit has to keep.
    const text = readFileSync(file.path, "utf8");
    const isElsewhere = resolve(real, relative(into, file.name)) !== file.path || !isInside(real, file.path);
    return { file: { name: file.name, path: file.path, isElsewhere, text }, index, raw, value };
  };

  const manifests: FolderManifest[] = [];
  for (const file of files) {
    if (file.isLayout) continue;
    const { documents } = open(file.name, file.path);
    const ownProblems = problemCollector();
    for (const [index, each] of documents.entries()) {
      if (!hasKind(each)) continue;
      const read = readManifest(each, env, ownProblems);
      const document = documentOf(file, index);
      const { manifest, locate, layoutPath } = read;
      if (!manifest || !document) continue;
      if (layoutPath === undefined) {
        manifests.push({ manifest, document, layoutDocument: undefined });
        continue;
      }
      const layout = layouts.read(file, layoutPath);
      if ("severity" in layout) {
        problems.push(locate(layout));
        continue;
      }
      const path = realpathSync.native(resolve(dirname(file.path), layoutPath));
      const layoutDocument = documentOf({ name: layout.name, path }, 0);
      const content = layout.content && { content: layout.content };
      manifests.push({ manifest: { ...manifest, ...content, layoutFile: layout.name }, document, layoutDocument });
    }
    problems.push(...ownProblems.all);
  }
  return { manifests, problems, sources };
}
