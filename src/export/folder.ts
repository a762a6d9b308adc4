/**
 * Reads manifests together with their documents. An export or a codemod edits these documents. Finds the manifest of
 * each exported resource.
 */

import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { type Document, readDocuments } from "../documents/document.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { Lock } from "../state/lock.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { problemCollector } from "../manifests/problems.ts";
import { type Environment, substitute } from "../manifests/read/environment.ts";
import { findFiles, type FoundFile, openFile, type OpenedFile } from "../manifests/read/files.ts";
import { openLayouts, readLayout } from "../manifests/read/layout-files.ts";
import { hasKind, readManifest } from "../manifests/read/read-manifest.ts";
import type { Exported } from "./exported.ts";

/** A document of a file: `raw` as in the file, `value` after environment variables are substituted. */
export type FolderDocument = Pick<Document, "locate"> & {
  file: FolderFile;
  index: number;
  raw: JsonObject;
  value: JsonObject;
};
/**
 * `path` is the real path. It may be outside the folder that is read, because of a link, or because a manifest
 * references a layout file in another folder.
 */
export type FolderFile = { name: string; path: string; text: string };

export type FolderManifest = {
  manifest: Manifest;
  document: FolderDocument;
  /** The layout file. Undefined if the manifest contains the layout or has no layout. */
  layoutDocument: FolderDocument | undefined;
};

export type Folder = {
  manifests: FolderManifest[];
  /**
   * The problems of the files. After an error, the list of manifests may be incomplete. An export could then write a
   * missing manifest a second time, and a codemod would miss this manifest.
   */
  problems: Located[];
  sources: ReadonlyMap<string, string>;
};

export type FolderOptions = {
  /** Files and folders of manifests, relative to `cwd`. */
  paths: readonly string[];
  cwd: string;
  /** The project folder. Layout files must be in it. */
  root: string;
  /** The values of `${NAME}` in manifests. */
  env: Environment;
  /** The variables that manifests may use. If absent, all variables except those of formctl. */
  variables?: readonly string[] | undefined;
};

/** Reads all manifests of files and folders. */
export function readFolder({ paths, cwd, root, env, variables }: FolderOptions): Folder {
  const { files, problems } = findFiles({ paths, cwd, root });
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
    listed: variables,
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
    const value = documents[index] && substitute(documents[index], env, variables).value;
    if (!isJsonObject(raw) || !isJsonObject(value)) return undefined;
    // The file is read again, because the text of a parsed document lacks the byte order mark. An edit has to keep this
    // mark.
    const text = readWithin(file.path, MAX_FILE_BYTES).toString("utf8");
    const { locate } = documents[index]!;
    return { file: { name: file.name, path: file.path, text }, index, raw, value, locate };
  };

  const manifests: FolderManifest[] = [];
  for (const file of files) {
    if (file.isLayout) continue;
    const { documents } = open(file.name, file.path);
    const ownProblems = problemCollector();
    for (const [index, each] of documents.entries()) {
      if (!hasKind(each)) continue;
      const read = readManifest(each, env, ownProblems, variables);
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

/**
 * Returns what a document contains after its file was edited: a manifest with its content, or a layout. Undefined if the
 * edited document is invalid.
 */
export function rereadDocument(
  text: string,
  { file, index }: Pick<FolderDocument, "file" | "index">,
  { env, variables }: Pick<FolderOptions, "env" | "variables">,
): { manifest?: Manifest; content: DraftContent | undefined } | undefined {
  const document = readDocuments(text, file.name)[index];
  if (!document) return undefined;
  if (!hasKind(document)) {
    const substituted = substitute(document, env, variables);
    const { content } = readLayout(substituted.value, substituted, "");
    return content && { content };
  }
  const { manifest } = readManifest(document, env, problemCollector(), variables);
  return manifest && { manifest, content: manifest.content };
}

export type OpenManifests = {
  /**
   * Returns the manifest of a resource. Finds the manifest by the address, the former address, or the id in the lock.
   * Returns each manifest only once.
   */
  take: (exported: Exported) => FolderManifest | undefined;
  /** The manifests that were not returned. */
  left: ReadonlySet<FolderManifest>;
};

export function openManifests(manifests: readonly FolderManifest[], lock: Pick<Lock, "get">): OpenManifests {
  const left = new Set(manifests);
  const byAddress = Map.groupBy(manifests, ({ manifest: { kind, address } }) => keyOf(kind, address));
  const byFormerAddress = Map.groupBy(manifests, ({ manifest: { kind, formerAddress } }) => keyOf(kind, formerAddress));
  const byId = Map.groupBy(manifests, ({ manifest: { kind, address } }) => {
    const locked = lock.get(address);
    return keyOf(kind, kind === "Form" ? locked?.formId : locked?.layoutId);
  });
  return {
    take(exported) {
      const { kind, address } = exported;
      const id = exported.kind === "Form" ? exported.formId : exported.layoutId;
      const alike = [
        byAddress.get(keyOf(kind, address)),
        byFormerAddress.get(keyOf(kind, address)),
        byId.get(keyOf(kind, id)),
      ];
      const found = alike.flatMap((each) => each ?? []).find((each) => left.has(each));
      if (found) left.delete(found);
      return found;
    },
    left,
  };
}

/** Returns a key that is different for each kind. Undefined stays undefined, because it must equal no address or id. */
function keyOf(kind: "Form" | "Layout", name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${kind} ${name}`;
}
