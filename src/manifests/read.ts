/** Files and folders of YAML and JSON as manifests, with every problem of every file at its place. */

import type { Located } from "../schemas/diagnostic.ts";
import type { Manifest } from "./manifest.ts";

export type ReadOptions = {
  /** Files and folders as they were typed. A folder is read whole, recursively, in name order. */
  paths: readonly string[];
  /** What `paths` are relative to, and what files are called by. */
  cwd: string;
  /** No file outside of this folder is read. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
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

export declare function readManifests(options: ReadOptions): Promise<ManifestSet>;
