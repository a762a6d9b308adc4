/** The files that manifests name as their layouts: found inside of the project, each read once. */

import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, win32 } from "node:path";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { nearest } from "../../schemas/nearest.ts";
import { manifestProblem, problemCollector } from "../problems.ts";
import { type Environment, substitute } from "./environment.ts";
import { isInside } from "../../disk/inside.ts";
import type { FoundFile } from "./files.ts";
import { locating, type Place } from "./locating.ts";
import { openFile, type OpenedFile, STDIN } from "./open-file.ts";
import { contentOf, readDraft } from "./read-layout.ts";

/** A layout's own file. Without content something is wrong with it, and has been told. */
export type LayoutFile = { name: string; place: Place; content?: DraftContent };

export type LayoutReader = {
  /** The file that `layout` of a manifest in `file` names, or why there is none. */
  read(file: Pick<FoundFile, "name" | "path" | "root">, layout: string): LayoutFile | Diagnostic;
  /** Where all the files are that were read. */
  paths: ReadonlySet<string>;
};

export type LayoutSources = {
  env: Environment;
  /** As in `substitute`. */
  listed?: readonly string[] | undefined;
  /** Told of each file that is read. */
  onFile: (name: string, opened: OpenedFile) => void;
  onProblem: (problem: Located) => void;
  /** What is known of files that were read already; a file of manifests is no layout. */
  known: (path: string) => OpenedFile | "manifests" | undefined;
};

export function openLayouts({ env, listed, onFile, onProblem, known }: LayoutSources): LayoutReader {
  const files = new Map<string, LayoutFile>();
  const paths = new Set<string>();

  function open(name: string, opened: OpenedFile): LayoutFile | undefined {
    const [document, second] = opened.documents;
    if (!document) return undefined;
    const filled = substitute(document, env, listed);
    const place = locating(document, filled);
    const draft =
      filled.problems.length > 0
        ? { ok: false as const, problems: filled.problems }
        : readDraft(filled.value, filled, "");
    const wrong = problemCollector();
    if (!draft.ok) for (const problem of draft.problems) if (!wrong.isFull()) wrong.add(place.locate(problem));
    for (const problem of wrong.all) onProblem(problem);
    if (second) {
      const message =
        "a second document begins here, and a layout file holds one layout. Remove it, or the `---` before it";
      onProblem({ ...manifestProblem("LAYOUT_INVALID", message), file: name, ...second.locate("") });
    }
    return { name, place, ...(draft.ok && !second && { content: contentOf(draft.value) }) };
  }

  return {
    paths,
    read(file, layout) {
      const found = findLayout(file, layout);
      if ("severity" in found) return found;
      const { name, path } = found;
      const present = files.get(path);
      if (present) return present;
      const before = known(path);
      if (before === "manifests") {
        return manifestProblem(
          "LAYOUT_INVALID",
          "layout names a file of manifests, and a layout is a file of its own",
          "layout",
        );
      }
      const opened = before ?? openFile(name, path);
      if (!before) onFile(name, opened);
      paths.add(path);
      const nowhere: Place = { locate: (diagnostic) => ({ ...diagnostic, file: name, line: 1, column: 1 }) };
      const read = open(name, opened) ?? { name, place: nowhere };
      files.set(path, read);
      return read;
    },
  };
}

/** Where a layout's file is, as it is named relative to its manifest. */
function findLayout(
  file: Pick<FoundFile, "name" | "path" | "root">,
  layout: string,
): { name: string; path: string } | Diagnostic {
  const outside = (message: string) => manifestProblem("LAYOUT_OUTSIDE", `layout ${message}`, "layout");
  const missing = (message: string) => manifestProblem("LAYOUT_FILE_MISSING", `layout ${message}`, "layout");
  const text = JSON.stringify(layout);
  if (isAbsolute(layout) || win32.isAbsolute(layout)) {
    return outside(`${text} is an absolute path. Name the file relative to this one`);
  }
  const folder = dirname(file.path);
  const path = resolve(folder, layout);
  if (!isInside(file.root, path)) return outside(`${text} leads out of the project, where nothing is read`);
  try {
    const real = realpathSync.native(path);
    if (!isInside(file.root, real)) return outside(`${text} is a link that leads out of the project`);
    if (statSync(real).isFile()) return { name: nameBeside(file.name, layout), path: real };
    return missing(`${text} is not a file`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") return missing(`${text} can't be read: ${code ?? message}`);
    const meant = nearest(basename(path), namesIn(dirname(path)));
    return missing(`${text}: there is no such file${meant === undefined ? "" : ` - did you mean "${meant}"?`}`);
  }
}

function nameBeside(name: string, layout: string): string {
  return name === STDIN ? join(layout) : join(dirname(name), layout);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
