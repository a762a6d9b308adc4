/** The manifests that a folder holds already, with the documents in which they stand. */

import { readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Located } from "../../schemas/diagnostic.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { problemCollector } from "../problems.ts";
import { type Environment, substitute } from "../read/environment.ts";
import { isInside } from "../../disk/inside.ts";
import { findFiles, type FoundFile } from "../read/files.ts";
import { openLayouts } from "../read/layout-files.ts";
import type { Manifest } from "../manifest.ts";
import { openFile, type OpenedFile } from "../read/open-file.ts";
import { hasKind, readManifest } from "../read/read-manifest.ts";

/** A document of a file, as it stands there and with the environment filled in. */
export type FolderDocument = { file: FolderFile; index: number; raw: JsonObject; said: JsonObject };
/** `name` is what people call it; `path` is where it is, and `isElsewhere` tells that this is not where the folder has it. */
export type FolderFile = { name: string; path: string; isElsewhere: boolean; text: string };

export type FolderManifest = {
  manifest: Manifest;
  document: FolderDocument;
  /** The layout's own file; undefined where the layout stands in the manifest, or there is none. */
  layoutDocument: FolderDocument | undefined;
};

export type Folder = {
  manifests: FolderManifest[];
  /** With an error among them some manifest is not known: it could be written a second time. */
  problems: Located[];
  sources: ReadonlyMap<string, string>;
};

/** @param into the folder, which exists; `cwd` is what it is relative to, and `root` the project that layouts must be in */
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
    const said = documents[index] && substitute(documents[index], env).value;
    if (!isJsonObject(raw) || !isJsonObject(said)) return undefined;
    // With its byte order mark, which readers do without.
    const text = readFileSync(file.path, "utf8");
    // Not where its name says: a link was followed, or it was named from outside of the folder.
    const isElsewhere = resolve(real, relative(into, file.name)) !== file.path || !isInside(real, file.path);
    return { file: { name: file.name, path: file.path, isElsewhere, text }, index, raw, said };
  };

  const manifests: FolderManifest[] = [];
  for (const file of files) {
    if (file.isLayout) continue;
    const { documents } = open(file.name, file.path);
    const wrong = problemCollector();
    for (const [index, each] of documents.entries()) {
      if (!hasKind(each)) continue;
      const read = readManifest(each, env, wrong);
      const document = documentOf(file, index);
      const { manifest, place, layoutPath } = read;
      if (!manifest || !document) continue;
      if (layoutPath === undefined) {
        manifests.push({ manifest, document, layoutDocument: undefined });
        continue;
      }
      const layout = layouts.read(file, layoutPath);
      if ("severity" in layout) {
        problems.push(place.locate(layout));
        continue;
      }
      const path = realpathSync.native(resolve(dirname(file.path), layoutPath));
      const layoutDocument = documentOf({ name: layout.name, path }, 0);
      const content = layout.content && { content: layout.content };
      manifests.push({ manifest: { ...manifest, ...content, layoutFile: layout.name }, document, layoutDocument });
    }
    problems.push(...wrong.all);
  }
  return { manifests, problems, sources };
}
