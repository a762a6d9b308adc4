/** Plans new files for the exported resources that no manifest of the folder describes. */

import { slugOf } from "../base/slug.ts";
import { readdirSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { unfitFile } from "../disk/file-errors.ts";
import { isInside } from "../disk/links.ts";
import { toYaml } from "../documents/write-yaml.ts";
import { packText } from "../contents/memory.ts";
import { sha256 } from "../base/sha256.ts";
import { escapeTexts } from "../manifests/read/environment.ts";
import type { LockedResource } from "../state/lock.ts";
import { lockedOf } from "./base.ts";
import { EDITOR_SCHEMAS } from "./editor-files.ts";
import { type Exported, documentOf } from "./exported.ts";

export type FileOutcome = {
  /** The path for messages. */
  path: string;
  status: "written" | "updated" | "unchanged" | "conflict";
  /** The number of changed lines. */
  lines: number;
  conflicts: readonly { path: string; message: string }[];
};

export type PlannedFile = {
  path: string;
  /** Returns the text, which is kept compressed. */
  text: () => string;
  /** The text that was read. Undefined for a new file. */
  before: string | undefined;
  /** The name of the layout file that a new manifest references. The layout file is written before the manifest. */
  layoutFile?: string;
};

export type PlannedFiles = { outcomes: FileOutcome[]; files: PlannedFile[] };

export type NewFilesOptions = {
  /** The folder as given by the user. */
  into: string;
  /** The real path of the folder. */
  real: string;
  /** The folder of the JSON Schemas for editors. */
  schemas: string;
};

/** The planned files, and the lock entry of each new manifest with its file, by address. */
export type NewFiles = PlannedFiles & { fresh: ReadonlyMap<string, { file: string; resource: LockedResource }> };

/**
 * Plans a manifest and a layout file for each resource.
 *
 * @throws FILE_UNFIT if both possible names of a new file are taken
 * @throws FILE_UNFIT if a file would be outside the folder
 */
export function newFiles(exported: readonly Exported[], { into, real, schemas }: NewFilesOptions): NewFiles {
  const outcomes: FileOutcome[] = [];
  const files: PlannedFile[] = [];
  const fresh = new Map<string, { file: string; resource: LockedResource }>();
  const taken = new Set<string>();
  const byPlainName = Map.groupBy(exported, (each) => fileNameOf(each).plain.toLowerCase());
  const namesIn = openListings();
  const add = (name: string, schema: string, value: unknown, layoutFile?: string) => {
    const path = join(real, name);
    if (!isInside(real, path)) throw unfitFile(`${name} would be written outside the folder`);
    const text = `${modeline(path, join(schemas, schema))}\n${toYaml(value)}`;
    taken.add(name.toLowerCase());
    files.push({ path, text: packText(text), before: undefined, ...(layoutFile !== undefined && { layoutFile }) });
    outcomes.push({ path: join(into, name), status: "written", lines: text.split("\n").length - 1, conflicts: [] });
  };
  const isFree = (name: string) =>
    ["", ".layout"].every((kind) => {
      const file = `${name}${kind}.yaml`;
      const isTaken =
        taken.has(file.toLowerCase()) || namesIn(dirname(join(real, file))).has(basename(file).toLowerCase());
      return !isTaken;
    });
  for (const each of exported) {
    const { plain, unique } = fileNameOf(each);
    const isShared = byPlainName.get(plain.toLowerCase())!.length > 1;
    const name = [isShared ? unique : plain, unique].find(isFree);
    if (name === undefined) {
      throw unfitFile(`${unique}.yaml already exists and contains no manifest of ${each.address}`);
    }
    const layoutFile = each.layout && `${name}.layout.yaml`;
    if (layoutFile !== undefined) add(layoutFile, EDITOR_SCHEMAS.Draft, escapeTexts(each.layout));
    const manifest = documentOf(each, `./${basename(name)}.layout.yaml`);
    add(`${name}.yaml`, EDITOR_SCHEMAS.Manifest, manifest, layoutFile);
    fresh.set(each.address, { file: join(into, `${name}.yaml`), resource: lockedOf(each) });
  }
  return { outcomes, files, fresh };
}

/**
 * Returns a function that lists the names in a folder. The names are in lower case, because some file systems ignore
 * case. Each folder is read once. A folder that can't be read counts as empty.
 */
function openListings(): (folder: string) => ReadonlySet<string> {
  const listings = new Map<string, ReadonlySet<string>>();
  const list = (folder: string) => {
    try {
      return new Set(readdirSync(folder).map((name) => name.toLowerCase()));
    } catch {
      return new Set<string>();
    }
  };
  return (folder) => {
    const names = listings.get(folder) ?? list(folder);
    listings.set(folder, names);
    return names;
  };
}

/** Returns the comment by which editors find the schema. */
function modeline(path: string, schema: string): string {
  const way = relative(dirname(path), schema).split(sep).join("/");
  return `# yaml-language-server: $schema=${way.startsWith(".") ? way : `./${way}`}`;
}

const MAX_SLUG = 60;
/** Names of devices on Windows, and names of files that formctl does not read as manifests. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|formctl|node_modules)(?:\.|$)/;

/** Two possible paths of a manifest below the folder, without extension. `unique` contains a hash of the address. */
export type FileName = { plain: string; unique: string };

/** Returns a path such as `staffing/candidate/candidate-profile` or `layouts/contractor/contractor-card`. */
export function fileNameOf(exported: Exported): FileName {
  const folder =
    exported.kind === "Form"
      ? join(folderName(exported.object.moduleKey), folderName(exported.object.objectKey))
      : join("layouts", fileSlug(exported.surface));
  const slug = fileSlug(exported.name);
  const unique = join(folder, `${slug === "" ? "form" : slug}-${hashOf(exported.address)}`);
  const isPlain = slug !== "" && !RESERVED.test(slug) && exported.name.length <= MAX_SLUG;
  return { plain: isPlain ? join(folder, slug) : unique, unique };
}

/** The result may be a name that Windows reserves (`RESERVED`). */
const fileSlug = (name: string) => slugOf(name, MAX_SLUG);

/**
 * Returns a valid folder name for a key. A key contains only letters, digits, `_`, `.` and `-`. Even so, some keys are
 * not valid folder names.
 */
function folderName(key: string): string {
  const isPlain = /^[a-zA-Z0-9][\w.-]*$/.test(key) && !key.endsWith(".") && !RESERVED.test(key.toLowerCase());
  if (isPlain && key.length <= MAX_SLUG) return key;
  return `${fileSlug(key) || "key"}-${hashOf(key)}`;
}

function hashOf(text: string): string {
  return sha256(text).slice(0, 8);
}
