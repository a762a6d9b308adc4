/** Writes the reference of the commands: `docs/reference`, `man`, and the list of man pages in `package.json`. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { referenceFiles } from "./reference/pages.ts";

const ROOT = join(import.meta.dirname, "..");
const manifestPath = join(ROOT, "package.json");
const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as { version: string; man: string[] };

const files = await referenceFiles(manifest.version);
// Removes the pages of commands that no longer exist.
for (const folder of ["docs/reference", "man"]) rmSync(join(ROOT, folder), { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
const man = [...files.keys()].filter((path) => path.startsWith("man/")).map((path) => `./${path}`);
writeFileSync(manifestPath, `${JSON.stringify({ ...manifest, man }, null, 2)}\n`);
