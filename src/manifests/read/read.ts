/** Files and folders of YAML and JSON as manifests, with every problem of every file at its place. */

import { join } from "node:path";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import { fileProblem, problemCollector, sortProblems } from "../problems.ts";
import type { Environment } from "./environment.ts";
import { findFiles, type FindOptions, type FoundFile } from "./files.ts";
import type { Ahead } from "./find-organizations.ts";
import { type LayoutFile, openLayouts } from "./layout-files.ts";
import { type Place, withLayout } from "./locating.ts";
import type { Manifest } from "../manifest.ts";
import { openFile, type OpenedFile, parse, STDIN } from "./open-file.ts";
import { othersTurn } from "../others-turn.ts";
import { isOrganizationFile, readOrganization } from "./organization-file.ts";
import { hasKind, type Judged, type ReadManifest, readManifest, type RefusedManifest } from "./read-manifest.ts";

export type ReadOptions = FindOptions & {
  /** Where `${NAME}` is looked up. */
  env: Environment;
  /** The only names of variables that may be used there; absent: any but those of formctl itself. */
  variables?: readonly string[] | undefined;
  /** Standard input, where one of the paths is `-`. */
  readStdin?: () => Promise<Uint8Array>;
  /** What has been found before. */
  ahead?: Ahead;
  /** Given each manifest as soon as it is whole, while others are still to be read. */
  onManifest?: (manifest: Manifest) => void;
  /** Given what a manifest that is wrong elsewhere wants to be shown. */
  onRefused?: (judged: Judged) => void;
  /** The contents of manifests are only for `onManifest`, and are let go of then: in a large folder they are most of it. */
  dropsContents?: boolean;
};

export type ManifestSet = {
  manifests: Manifest[];
  /** Every problem that reading alone can find; with an error among them the set is not whole. */
  problems: Located[];
  /** The texts of the files, for showing the lines in question. */
  sources: ReadonlyMap<string, string>;
  /** Every file that was read. */
  files: readonly string[];
};

/** Reads everything there is, whatever is wrong with some of it. Nothing but the files is asked. */
export async function readManifests(options: ReadOptions): Promise<ManifestSet> {
  const { ahead } = options;
  const { files: found, problems } = ahead?.found ?? findFiles(options);
  const sources = new Map<string, string>();
  const manifests: Manifest[] = [];
  /** Those whose layout is another file: it may be any of those that are still to be read. */
  const waiting: { read: ReadManifest | RefusedManifest; file: FoundFile; index: number }[] = [];
  const manifestFiles = new Set<string>();
  /** A layout may have any name: what does not say its kind is judged when all manifests have named theirs. */
  const others = new Map<string, { file: FoundFile; opened: OpenedFile }>();
  /** Every file could be parsed, so that what they name is known. */
  let areAllRead = true;

  function finish(manifest: Manifest, index: number): void {
    options.onManifest?.(manifest);
    if (!options.dropsContents) manifests[index] = manifest;
    else {
      const { content: _judged, ...members } = manifest;
      manifests[index] = members;
    }
  }

  /** @param index of the manifest among all, if it is one */
  function takeDocument(read: ReadManifest | RefusedManifest, file: FoundFile, index: number): void {
    if (read.layoutPath !== undefined) waiting.push({ read, file, index });
    else if (read.manifest) finish(read.manifest, index);
    else if (read.judged) options.onRefused?.(read.judged);
  }

  function take(file: FoundFile, opened: OpenedFile): void {
    sources.set(file.name, opened.text);
    problems.push(...opened.problems);
    areAllRead &&= opened.documents.length > 0;
    if (!opened.documents.some(hasKind)) {
      others.set(file.path, { file, opened });
      return;
    }
    manifestFiles.add(file.path);
    const wrong = problemCollector();
    for (const document of opened.documents) {
      if (wrong.isFull()) break;
      const read = readManifest(document, options.env, wrong, options.variables);
      takeDocument(read, file, read.manifest ? manifests.push(read.manifest) - 1 : -1);
    }
    problems.push(...wrong.all);
  }

  if (options.paths.includes("-")) {
    const file = { name: STDIN, path: join(options.cwd, "-"), root: options.root, isLayout: false };
    take(file, parse(file.name, (await options.readStdin?.()) ?? new Uint8Array()));
  }
  for (const file of found) {
    if (file.isLayout) continue;
    await othersTurn();
    const bytes = ahead?.bytes.get(file.path);
    ahead?.bytes.delete(file.path);
    take(file, openFile(file.name, file.path, bytes));
  }

  const layouts = openLayouts({
    env: options.env,
    listed: options.variables,
    onFile(name, opened) {
      sources.set(name, opened.text);
      problems.push(...opened.problems);
    },
    onProblem: (problem) => problems.push(problem),
    known: (path) => (manifestFiles.has(path) ? "manifests" : others.get(path)?.opened),
  });
  const completeAll = () => {
    for (const { read, file, index } of waiting.splice(0)) {
      const { manifest, place, layoutPath = "" } = read;
      const layout = layouts.read(file, layoutPath);
      if ("severity" in layout) problems.push(place.locate(layout));
      if (manifest) finish(withItsLayout(manifest, layout, place), index);
      else if (read.judged) options.onRefused?.(withItsLayout(read.judged, layout, place));
    }
  };
  completeAll();
  for (const { file, opened } of others.values()) {
    if (layouts.paths.has(file.path)) continue;
    const wrong = problemCollector();
    for (const document of opened.documents) {
      // What it says has been found before (find-organizations.ts); what is wrong with it is told here.
      if (isOrganizationFile(document)) readOrganization(document, wrong);
      else takeDocument(readManifest(document, options.env, wrong, options.variables), file, -1);
    }
    problems.push(...wrong.all);
  }
  completeAll();
  // A file that can't be read may name any of them.
  for (const file of areAllRead ? found : []) {
    if (!file.isLayout || layouts.paths.has(file.path)) continue;
    problems.push(
      fileProblem("LAYOUT_UNREFERENCED", file.name, "no manifest names this layout, so that nobody will see it"),
    );
  }
  return { manifests, problems: sortProblems(problems), sources, files: [...sources.keys()] };
}

/** A manifest, or what is left of one, with the layout that it names; as it is where there is no such layout. */
function withItsLayout<T extends object>(read: T, layout: LayoutFile | Diagnostic, place: Place): T {
  if ("severity" in layout) return read;
  const { locate } = withLayout(place, layout.place);
  return { ...read, layoutFile: layout.name, locate, ...(layout.content && { content: layout.content }) };
}
