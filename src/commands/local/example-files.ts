/** The example files of this package: the content of the demo, and what `--demo --into FOLDER` writes. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { FormctlError } from "../../base/error.ts";
import { refuseLeadingOut, statOf } from "../../disk/links.ts";
import { requireWritableFolder } from "../../disk/write-file.ts";
import { type WholeFile, writeWholeFiles } from "../../disk/write-files.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, option } from "../command.ts";

export const intoOption = option("--into <folder>", "With --demo: also write the example files into this folder");

/** `existing` is the number of files that the folder already had. They are not changed. */
export type WrittenExamples = { folder: string; written: number; existing: number };

/** @throws USAGE for `--into` without `--demo` */
export function refuseIntoAlone({ demo, into }: { demo: boolean; into: string | undefined }): void {
  if (into === undefined || demo) return;
  throw new FormctlError("USAGE", "--into requires --demo", "Add --demo, or remove --into.");
}

/**
 * Checks that the example files can be written into a folder.
 *
 * @returns a function that writes them
 * @throws FILE_UNFIT, FILE_UNWRITABLE
 */
export async function prepareExamples(
  { cwd, settings: { root } }: CommandContext,
  into: string,
): Promise<() => Promise<WrittenExamples>> {
  const folder = resolve(cwd, into);
  const source = examplePath();
  const files = exampleFiles(source);
  for (const file of files) refuseLeadingOut(dirname(join(folder, file)), root);
  await requireWritableFolder(folder);
  return async () => {
    const missing: WholeFile[] = [];
    for (const file of files) {
      const path = join(folder, file);
      if ((await statOf(path)) !== undefined) continue;
      const content = () => readFileSync(join(source, file), "utf8");
      missing.push({ path, content, mode: 0o666, check: async () => refuseLeadingOut(dirname(path), root) });
    }
    await writeWholeFiles(missing);
    const name = relative(cwd, folder) || folder;
    return { folder: name, written: missing.length, existing: files.length - missing.length };
  };
}

/** Returns the names of the example files. The program of `npm run demo` is only in a checkout. */
function exampleFiles(source: string): string[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((file) => !/^northwind[\\/][^\\/]+\.ts$/.test(file));
}

/** Prints the result of `--into`. */
export function printExamples({ folder, written, existing }: WrittenExamples, terminal: Terminal): void {
  const files = existing === 0 ? "the" : written;
  const kept = existing === 0 ? "" : ` ${existing} existing files were not changed.`;
  terminal.line(`Wrote ${files} example files into ${visible(folder)}.${kept}`);
}

/** Returns a path below the folder `examples` of this package. Works from the sources and from the bundle. */
export function examplePath(...names: string[]): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const examples = join(folder, "examples");
    if (existsSync(join(folder, "package.json")) && existsSync(examples)) return join(examples, ...names);
    if (dirname(folder) === folder)
      throw new Error(`the folder examples is missing from the package at ${import.meta.dirname}`);
  }
}
