/**
 * Reads files and folders as manifests, and reports every problem of every file at its position. Also finds
 * organization files. They describe what the API has no endpoint for (fields, roles, scripts).
 */

import { join } from "node:path";
import type { Document } from "../../documents/document.ts";
import { type Diagnostic, type Located, sortProblems } from "../../schemas/diagnostic.ts";
import { isJsonObject } from "../../schemas/json.ts";
import type { SeedFile } from "../../schemas/organization.ts";
import { OrganizationFile } from "../../schemas/organization-schema.ts";
import { readParsed } from "../../schemas/shape.ts";
import { packWithFacts } from "../../contents/compare.ts";
import type { Manifest } from "../manifest.ts";
import { fileProblem, type Locate, manifestProblem, problemCollector } from "../problems.ts";
import {
  FileTexts,
  findFiles,
  type FindOptions,
  type FoundFile,
  openFile,
  type OpenedFile,
  parseFile,
  STDIN,
  readBytes,
} from "./files.ts";
import { type LayoutFile, openLayouts } from "./layout-files.ts";
import {
  hasKind,
  type InvalidManifest,
  type PartialManifest,
  readManifest,
  type ValidManifest,
} from "./read-manifest.ts";

export type FoundOrganization = { file: string; content: SeedFile };

/** The files that `findOrganizations` has read. `readManifests` does not read these files again. */
type ReadAhead = {
  found: ReturnType<typeof findFiles>;
  /** The bytes of files by path, up to 16 MiB in total. `readManifests` removes each entry that it uses. */
  bytes: Map<string, Uint8Array>;
};

const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Returns the valid organization files. Every manifest is checked against these files, so they are found first.
 * `readManifests` reports the problems of invalid organization files.
 */
export async function findOrganizations(
  options: FindOptions & { readStdin?: () => Promise<Uint8Array> },
): Promise<{ organizations: FoundOrganization[]; ahead: ReadAhead }> {
  const { paths, readStdin } = options;
  const organizations: FoundOrganization[] = [];
  const search = (file: string, bytes: Uint8Array) => {
    if (!mayBeOrganization(bytes)) return;
    const { documents } = parseFile(file, bytes);
    if (documents.some(hasKind)) return;
    for (const document of documents.filter(isOrganizationFile)) {
      const content = readOrganization(document, problemCollector());
      if (content) organizations.push({ file, content });
    }
  };
  if (paths.includes("-") && readStdin) search(STDIN, await readStdin());
  const found = findFiles(options);
  const bytes = new Map<string, Uint8Array>();
  let kept = 0;
  for (const { name, path, isLayout } of found.files) {
    const read = isLayout ? undefined : readBytes(name, path);
    if (!(read instanceof Uint8Array)) continue;
    search(name, read);
    kept += read.byteLength;
    if (kept <= KEPT_BYTES) bytes.set(path, read);
  }
  return { organizations, ahead: { found, bytes } };
}

/** Whether the bytes contain the word `organizations`. Most files do not, and are not parsed twice. */
function mayBeOrganization(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("organizations");
}

function isOrganizationFile({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "organizations");
}

/** Reads a document as an organization file. @param problems receives the problems of the document */
function readOrganization(document: Document, problems: { add: (problem: Located) => void }): SeedFile | undefined {
  const shape = readParsed(OrganizationFile, document.value);
  if (shape.ok) return shape.value;
  for (const { path, message } of shape.problems) {
    const problem = manifestProblem("ORGANIZATION_INVALID", `${path || "the file"} ${message}`, path);
    problems.add({ ...problem, file: document.file, ...document.locate(path) });
  }
  return undefined;
}

export type ReadOptions = {
  /** Files and folders as given by the user; `-` is standard input. */
  paths: readonly string[];
  /** The folder to which `paths` are relative. */
  cwd: string;
  /** The project folder. No file outside it is read, except the given paths and files below them. */
  root: string;
  /** The values of `${NAME}` in manifests. */
  env: Readonly<Record<string, string | undefined>>;
  /** The variables that the project allows. If absent, all variables except those of formctl. */
  variables?: readonly string[] | undefined;
  /** Reads standard input, for the path `-`. */
  readStdin?: () => Promise<Uint8Array>;
  /** Called with each complete manifest. Other files may still be unread. */
  onManifest?: (manifest: Manifest) => void;
  /** Called before each file is read. `done` is the number of finished files. */
  onFile?: (done: number, total: number) => void;
};

/** The options of a reading, with those that only other modules of formctl use. */
type ReadSetup = ReadOptions & {
  ahead?: ReadAhead;
  /** Called with the layout of a manifest that is otherwise invalid. */
  onPartial?: (partial: PartialManifest) => void;
  /**
   * Omits layout contents from the result. Only `onManifest` and `onPartial` get them. Contents are most of the memory
   * of a large folder.
   */
  dropsContents?: boolean;
};

export type ManifestSet = {
  manifests: Manifest[];
  /** Every problem found while reading. After an error, `manifests` is incomplete. */
  problems: Located[];
  /** The texts of the files, to show the affected lines: see `FileTexts`. */
  sources: ReadonlyMap<string, string>;
  /** Every file that was read. */
  files: readonly string[];
};

type ReadResult = ValidManifest | InvalidManifest;

/** Reads all files, even after problems. Sends no request to a server. */
export async function readManifests(options: ReadSetup): Promise<ManifestSet> {
  const { ahead, env, variables } = options;
  const { files: found, problems } = ahead?.found ?? findFiles(options);
  const sources = new FileTexts();
  const manifests: Manifest[] = [];
  /** Manifests that reference a layout file. These manifests are finished after all manifest files are read. */
  const waiting: { read: ReadResult; file: FoundFile; index: number }[] = [];
  const manifestFiles = new Set<string>();
  /** Files whose documents have no kind. Each may be a layout that a later manifest references. */
  const others = new Map<string, { file: FoundFile; opened: OpenedFile }>();
  let isEveryFileReadable = true;

  function finish(manifest: Manifest, index: number): void {
    options.onManifest?.(manifest);
    const { content, ...members } = manifest;
    manifests[index] = content && !options.dropsContents ? { ...members, content: packWithFacts(content) } : members;
  }

  /** Finishes a manifest, or queues it until its layout file is read. @param index the index in `manifests` */
  function addResult(read: ReadResult, file: FoundFile, index: number): void {
    if (read.layoutPath !== undefined) waiting.push({ read, file, index });
    else if (read.manifest) finish(read.manifest, index);
    else if (read.partial) options.onPartial?.(read.partial);
  }

  function addFile(file: FoundFile, opened: OpenedFile): void {
    sources.add(file.name, opened.reread);
    problems.push(...opened.problems);
    isEveryFileReadable &&= opened.documents.length > 0;
    if (!opened.documents.some(hasKind)) {
      others.set(file.path, { file, opened });
      return;
    }
    manifestFiles.add(file.path);
    const ownProblems = problemCollector();
    for (const document of opened.documents) {
      if (ownProblems.isFull()) break;
      const read = readManifest(document, env, ownProblems, variables);
      addResult(read, file, read.manifest ? manifests.push(read.manifest) - 1 : -1);
    }
    problems.push(...ownProblems.all);
  }

  if (options.paths.includes("-")) {
    const file = { name: STDIN, path: join(options.cwd, "-"), root: options.root, isLayout: false };
    addFile(file, parseFile(file.name, (await options.readStdin?.()) ?? new Uint8Array()));
  }
  for (const [index, file] of found.entries()) {
    if (file.isLayout) continue;
    options.onFile?.(index, found.length);
    // Yields to the event loop, so that responses of the server are processed between two files.
    await new Promise((resolve) => setImmediate(resolve));
    const bytes = ahead?.bytes.get(file.path);
    ahead?.bytes.delete(file.path);
    addFile(file, openFile(file.name, file.path, bytes));
  }

  const layouts = openLayouts({
    env,
    listed: variables,
    onFile(name, opened) {
      sources.add(name, opened.reread);
      problems.push(...opened.problems);
    },
    onProblem: (problem) => problems.push(problem),
    known: (path) => (manifestFiles.has(path) ? "manifests" : others.get(path)?.opened),
  });
  const readWaitingLayouts = () => {
    for (const { read, file, index } of waiting.splice(0)) {
      const { manifest, locate, layoutPath = "" } = read;
      const layout = layouts.read(file, layoutPath);
      if ("severity" in layout) problems.push(locate(layout));
      if (manifest) finish(withLayoutFile(manifest, layout, locate), index);
      else if (read.partial) options.onPartial?.(withLayoutFile(read.partial, layout, locate));
    }
  };
  readWaitingLayouts();
  for (const { file, opened } of others.values()) {
    if (layouts.hasRead(file.path)) continue;
    const ownProblems = problemCollector();
    for (const document of opened.documents) {
      // `findOrganizations` has read the contents of organization files. Here only their problems are reported.
      if (isOrganizationFile(document)) readOrganization(document, ownProblems);
      else addResult(readManifest(document, env, ownProblems, variables), file, -1);
    }
    problems.push(...ownProblems.all);
  }
  readWaitingLayouts();
  // An unreadable file may reference any layout file. So unreferenced layout files are reported only if every file is
  // readable.
  for (const file of isEveryFileReadable ? found : []) {
    if (!file.isLayout || layouts.hasRead(file.path)) continue;
    const message = "no manifest references this layout file. Reference it with layout in a manifest, or remove it";
    problems.push(fileProblem("LAYOUT_UNREFERENCED", file.name, message));
  }
  return { manifests, problems: sortProblems(problems), sources, files: [...sources.keys()] };
}

function withLayoutFile<T extends object>(read: T, layout: LayoutFile | Diagnostic, locate: Locate): T {
  if ("severity" in layout) return read;
  return {
    ...read,
    layoutFile: layout.name,
    locate: locateWithLayout(locate, layout.locate),
    ...(layout.content && { content: layout.content }),
  };
}

/**
 * Returns a function that locates diagnostics of a manifest with a layout file. A path `layout.…` is located in the
 * layout file.
 */
function locateWithLayout(manifest: Locate, layout: Locate): Locate {
  return (diagnostic) => {
    const prefix = /^layout(?:\.(?=.)|(?=\[))/.exec(diagnostic.path ?? "");
    if (!prefix) return manifest(diagnostic);
    return layout({ ...diagnostic, path: diagnostic.path!.slice(prefix[0].length) });
  };
}
