/** Files for what no manifest of a folder speaks of yet. */

import { readdirSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { toYaml } from "../../documents/write-yaml.ts";
import type { Exported } from "./export.ts";
import type { FileOutcome, PlannedFile, PlannedFiles } from "./file-outcome.ts";
import { fileNameOf } from "./file-names.ts";
import { isInside } from "../../disk/inside.ts";
import { manifestOf } from "./manifest-text.ts";
import { unfitFile } from "../../disk/unfit-file.ts";

export type NewFilesOptions = {
  /** The folder as it was typed, and where it is. */
  into: string;
  real: string;
  /** Where the schemas for editors are. */
  schemas: string;
};

/** With the file of each manifest, as people call it, by its address. */
export type NewFiles = PlannedFiles & { names: ReadonlyMap<string, string> };

/** Each has a manifest and a layout beside it. @throws FILE_UNFIT where other files are in the way */
export function newFiles(exported: readonly Exported[], options: NewFilesOptions): NewFiles {
  const { into, real, schemas } = options;
  const outcomes: FileOutcome[] = [];
  const files: PlannedFile[] = [];
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const plain = Map.groupBy(exported, (each) => fileNameOf(each).plain.toLowerCase());
  const add = (name: string, schema: string, value: unknown) => {
    const path = join(real, name);
    if (!isInside(real, path)) throw unfitFile(`${name} would be written outside of the folder`);
    const text = `${modeline(path, join(schemas, schema))}\n${toYaml(value)}`;
    taken.add(name.toLowerCase());
    files.push({ path, text, before: undefined });
    outcomes.push({ path: join(into, name), status: "written", lines: text.split("\n").length - 1, conflicts: [] });
  };
  const isFree = (name: string) =>
    ["", ".layout"].every((kind) => {
      const file = `${name}${kind}.yaml`;
      return !taken.has(file.toLowerCase()) && !isThere(join(real, file));
    });
  for (const each of exported) {
    const name = fileNameOf(each);
    const isShared = plain.get(name.plain.toLowerCase())!.length > 1;
    const chosen = [isShared ? name.unique : name.plain, name.unique].find(isFree);
    if (chosen === undefined) {
      throw unfitFile(`${name.unique}.yaml is in the way: it holds no manifest of ${each.address}`);
    }
    // The layout first: a manifest never names a file that is not there.
    if (each.layout) add(`${chosen}.layout.yaml`, "layout.schema.json", manifestOf(each)["layout"]);
    add(`${chosen}.yaml`, "manifest.schema.json", manifestOf(each, `./${basename(chosen)}.layout.yaml`));
    names.set(each.address, join(into, `${chosen}.yaml`));
  }
  return { outcomes, files, names };
}

/** In any case of letters, for there are file systems that see no difference. */
function isThere(path: string): boolean {
  try {
    return readdirSync(dirname(path)).some((name) => name.toLowerCase() === basename(path).toLowerCase());
  } catch {
    return false;
  }
}

/** By this editors find the schema. */
function modeline(path: string, schema: string): string {
  const way = relative(dirname(path), schema).split(sep).join("/");
  return `# yaml-language-server: $schema=${way.startsWith(".") ? way : `./${way}`}`;
}
