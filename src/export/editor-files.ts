/** Writes the JSON Schemas in `.formctl/schemas`. The first lines of exported files refer to these schemas. */

import { dirname, join } from "node:path";
import { readIfExists, refuseLinks } from "../disk/links.ts";
import { clearDrafts, writeWhole } from "../disk/write-file.ts";
import type { EditorKind } from "../manifests/editor-schemas.ts";

export const EDITOR_SCHEMAS = {
  Manifest: "manifest.schema.json",
  Draft: "layout.schema.json",
} as const satisfies Partial<Record<EditorKind, string>>;

/** Writes the schemas that differ from the existing files. @throws FILE_UNFIT, FILE_UNWRITABLE */
export async function writeEditorSchemas(folder: string): Promise<void> {
  const { editorSchema } = await import("../manifests/editor-schemas.ts");
  for (const kind of ["Manifest", "Draft"] as const) {
    const path = join(folder, EDITOR_SCHEMAS[kind]);
    await refuseLinks(path, dirname(folder));
    const text = `${JSON.stringify(editorSchema(kind), null, 2)}\n`;
    const before = await readIfExists(path);
    if (before !== text) await writeWhole(path, text, 0o644);
  }
  await clearDrafts(folder);
}
