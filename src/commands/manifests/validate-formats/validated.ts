/** What `formctl validate` has found: what every format tells. */

import { relative, resolve, sep } from "node:path";
import type { Located } from "../../../schemas/diagnostic.ts";
import type { Sources } from "../../../terminal/diagnostics.ts";

export type Validated = {
  exitCode: 0 | 3;
  /** Every file that was read, by its name. */
  files: readonly string[];
  manifests: readonly { address: string; kind: string; file: string }[];
  problems: readonly Located[];
  notRun: readonly string[];
  sources: Sources;
  /** A warning fails too. */
  strict: boolean;
  /** Where files are, for formats that services read: those go by paths from the root of the repository. */
  cwd: string;
  base: string;
};

/** `42 manifests in 12 files` */
export function countManifests({ manifests, files }: Validated): string {
  return `${plural(manifests.length, "manifest")} in ${plural(files.length, "file")}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A file by its path from the root of the repository, with `/` on every system. */
export function pathFromBase(file: string, { cwd, base }: Pick<Validated, "cwd" | "base">): string {
  if (file.startsWith("<")) return file;
  return relative(base, resolve(cwd, file)).split(sep).join("/") || ".";
}
