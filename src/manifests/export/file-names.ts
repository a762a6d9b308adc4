/** What the file of a new manifest is called: plain words that every file system takes, whatever somebody named the form. */

import { sha256 } from "../../sha256.ts";
import { join } from "node:path";
import type { Exported } from "./export.ts";

const MAX_SLUG = 60;
/** Names that Windows keeps for devices, that are read as something else here, or that are not read at all. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|formctl|node_modules)(?:\.|$)/;

/** Where a manifest goes, relative to the folder: without its extension. `unique` is another name for the same. */
export type FileName = { plain: string; unique: string };

/** `staffing/candidate/candidate-profile`, `layouts/contractor/contractor-card` */
export function fileNameOf(exported: Exported): FileName {
  const folder =
    exported.kind === "Form"
      ? join(folderName(exported.object.moduleKey), folderName(exported.object.objectKey))
      : join("layouts", slugOf(exported.surface));
  const slug = slugOf(exported.name);
  const unique = join(folder, `${slug === "" ? "form" : slug}-${hashOf(exported.address)}`);
  const isPlain = slug !== "" && !RESERVED.test(slug) && exported.name.length <= MAX_SLUG;
  return { plain: isPlain ? join(folder, slug) : unique, unique };
}

/** Lower-case words of ASCII, joined by `-`; empty where a name has none. */
export function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.slice(0, MAX_SLUG).replace(/-+$/, "");
}

/** A key has letters, digits, `_`, `.` and `-` only, and may still be no name for a folder. */
function folderName(key: string): string {
  const isPlain = /^[a-zA-Z0-9][\w.-]*$/.test(key) && !key.endsWith(".") && !RESERVED.test(key.toLowerCase());
  if (isPlain && key.length <= MAX_SLUG) return key;
  return `${slugOf(key) || "key"}-${hashOf(key)}`;
}

function hashOf(text: string): string {
  return sha256(text).slice(0, 8);
}
