/**
 * Writes manifests to files in various ways. A file has one or several manifests. A layout is inline or in a file. The
 * format is YAML or JSON.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { escapePlaceholders } from "../../src/manifests/read/environment.ts";
import type { ManifestValue } from "./manifest-values.ts";

/** The texts of files by their paths. */
export type Files = Record<string, string>;

/** How the manifests are written. The choices of a manifest are at its index, modulo the length of each list. */
export type Filing = { shares: boolean[]; ownLayout: boolean[]; json: boolean[]; turned: boolean[] };

const some = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
export const anyFiling: fc.Arbitrary<Filing> = fc.record({ shares: some, ownLayout: some, json: some, turned: some });

/** Consecutive manifests share a YAML file, except the manifests in the subfolder. Layouts are inline. */
export const ONE_FILE: Filing = { shares: [true], ownLayout: [false], json: [false], turned: [false] };

export function filesOf(manifests: readonly ManifestValue[], filing: Filing): Files {
  const files: Files = {};
  let last: string | undefined;
  for (const [index, manifest] of manifests.entries()) {
    const is = (choice: readonly boolean[]) => choice[index % choice.length]!;
    const stem = `${index % 3 === 2 ? "deeper/" : ""}m${index}`;
    const plain = asWritten(manifest);
    const value = is(filing.turned) ? turned(plain) : plain;
    if (is(filing.ownLayout) && plain.layout) {
      const name = `m${index}.layout.${is(filing.json) ? "json" : "yaml"}`;
      files[`${stem.replace(/m\d+$/, "")}${name}`] = is(filing.json) ? json(plain.layout) : toYaml(plain.layout);
      Object.assign(value, { layout: `./${name}` });
    }
    if (last !== undefined && is(filing.shares) && !last.includes("/") && !stem.includes("/")) {
      files[last] += `---\n# Another one.\n${toYaml(value)}`;
    } else if (is(filing.json) && !is(filing.shares)) {
      files[`${stem}.json`] = json(value);
      last = undefined;
    } else {
      last = `${stem}.yaml`;
      files[last] = `# A comment stands where it stands.\n${toYaml(value)}`;
    }
  }
  return files;
}

/** Writes files into a folder. Creates the folder if necessary. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
  }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the value with escaped placeholders in its texts. */
function asWritten<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_key, child: unknown) => (typeof child === "string" ? escapePlaceholders(child) : child)),
  ) as T;
}

/** Returns the value with its members in reverse order, at every level. */
function turned<T>(value: T): T {
  if (Array.isArray(value)) return value.map(turned) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, child]) => [key, turned(child as unknown)]),
  ) as T;
}
