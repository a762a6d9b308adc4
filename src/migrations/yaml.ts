/** Reads migrations in YAML: a transform as a list of edits, or a script as a list of operations. */

import type { LoadedMigration } from "./loaded.ts";

export function readYamlMigration(_text: string, _file: string): LoadedMigration {
  throw new Error("not yet");
}
