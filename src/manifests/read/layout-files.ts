/** Reads layouts inside manifests, and layout files that manifests reference. */

import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, win32 } from "node:path";
import { reasonOf } from "../../disk/file-errors.ts";
import { isInside } from "../../disk/links.ts";
import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { DraftFile } from "../../schemas/draft-schema.ts";
import { nearest } from "../../base/nearest.ts";
import { packContent } from "../../contents/memory.ts";
import { type Locate, manifestProblem, problemCollector } from "../problems.ts";
import { type Environment, locateIn, readSubstituted, substitute, type Substituted } from "./environment.ts";
import { type FoundFile, openFile, type OpenedFile, STDIN } from "./files.ts";

/** A content, or the problems of an invalid content. */
type LayoutOrProblems =
  | { content: DraftContent; problems?: undefined }
  | { content?: undefined; problems: Diagnostic[] };

/**
 * Reads a layout, which is the body of a draft.
 *
 * @param within the path of the layout in its document: `layout`, or empty in a layout file
 */
export function readLayout(value: unknown, substituted: Substituted, within: string): LayoutOrProblems {
  const shape = readSubstituted(DraftFile, value, substituted, within);
  if (shape.ok) {
    // The mutation id is dropped: only `formctl layouts draft push` uses the mutation id in a file.
    const { clientMutationId: _ignored, ...content } = shape.value;
    return { content };
  }
  const problems = shape.problems.map(({ path, message }) => {
    const whole = within === "" || path === "" ? within + path : `${within}${path.startsWith("[") ? "" : "."}${path}`;
    return manifestProblem("LAYOUT_INVALID", `${whole || "the layout"} ${message}`, whole);
  });
  return { problems };
}

/** A layout file. Without `content`, the file is invalid and its problems have been reported. */
export type LayoutFile = { name: string; locate: Locate; content?: DraftContent };

type Referrer = Pick<FoundFile, "name" | "path" | "root">;

export type LayoutReader = {
  /**
   * Returns the layout file that the member `layout` of a manifest in `file` references. Returns a problem if the
   * layout file can't be found. Each layout file is read only once.
   */
  read(file: Referrer, layout: string): LayoutFile | Diagnostic;
  hasRead(path: string): boolean;
};

export type LayoutReaderOptions = {
  env: Environment;
  /** The variables that the project allows, as in `substitute`. */
  listed?: readonly string[] | undefined;
  onFile: (name: string, opened: OpenedFile) => void;
  onProblem: (problem: Located) => void;
  /** Returns the file at a path if it was opened before. Returns "manifests" for a file of manifests. */
  known: (path: string) => OpenedFile | "manifests" | undefined;
};

export function openLayouts({ env, listed, onFile, onProblem, known }: LayoutReaderOptions): LayoutReader {
  const files = new Map<string, LayoutFile>();

  function readDocument(name: string, document: Document, second: Document | undefined): LayoutFile {
    const substituted = substitute(document, env, listed);
    const locate = locateIn(document, substituted);
    const { content, problems } =
      substituted.problems.length > 0
        ? { problems: substituted.problems }
        : readLayout(substituted.value, substituted, "");
    const found = problemCollector();
    for (const problem of problems ?? []) if (!found.isFull()) found.add(locate(problem));
    for (const problem of found.all) onProblem(problem);
    if (!second) return { name, locate, ...(content && { content: packContent(content) }) };
    const message = "unexpected second document: a layout file contains one layout. Remove it, or the `---` before it";
    onProblem({ ...manifestProblem("LAYOUT_INVALID", message), file: name, ...second.locate("") });
    return { name, locate };
  }

  return {
    hasRead: (path) => files.has(path),
    read(file, layout) {
      const found = findLayout(file, layout);
      if ("severity" in found) return found;
      const { name, path } = found;
      const read = files.get(path);
      if (read) return read;
      const opened = known(path);
      if (opened === "manifests") {
        const message = "layout references a file of manifests. Reference a file that contains only the layout";
        return manifestProblem("LAYOUT_INVALID", message, "layout");
      }
      const { documents } = opened ?? open(name, path);
      const [document, second] = documents;
      const layoutFile = document ? readDocument(name, document, second) : unreadableLayout(name);
      files.set(path, layoutFile);
      return layoutFile;
    },
  };

  function open(name: string, path: string): OpenedFile {
    const opened = openFile(name, path);
    onFile(name, opened);
    return opened;
  }
}

function unreadableLayout(name: string): LayoutFile {
  return { name, locate: (diagnostic) => ({ ...diagnostic, file: name, line: 1, column: 1 }) };
}

/** Resolves the path of a layout file, which is relative to the manifest. */
function findLayout(file: Referrer, layout: string): { name: string; path: string } | Diagnostic {
  const outside = (message: string) => manifestProblem("LAYOUT_OUTSIDE", `layout ${message}`, "layout");
  const missing = (message: string) => manifestProblem("LAYOUT_FILE_MISSING", `layout ${message}`, "layout");
  const text = JSON.stringify(layout);
  if (isAbsolute(layout) || win32.isAbsolute(layout)) {
    return outside(`${text} is an absolute path. Write it relative to this file`);
  }
  const path = resolve(dirname(file.path), layout);
  if (!isInside(file.root, path)) return outside(`${text} is outside the project. Move the file into the project`);
  try {
    const real = realpathSync.native(path);
    if (!isInside(file.root, real)) return outside(`${text} is a link to a file outside the project`);
    if (statSync(real).isFile()) return { name: nameRelativeTo(file.name, layout), path: real };
    return missing(`${text} is not a file`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") return missing(`${text} can't be read: ${reasonOf(error)}`);
    const meant = nearest(basename(path), namesIn(dirname(path)));
    return missing(`${text}: no such file${meant === undefined ? "" : `. Did you mean "${meant}"?`}`);
  }
}

function nameRelativeTo(name: string, layout: string): string {
  return name === STDIN ? join(layout) : join(dirname(name), layout);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
