/** The mutants of the project, and a random sample of them that is the same for the same seed. */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Change, changesOf } from "./operators.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const FOLDERS = ["engine", "client", "manifests", "store", "migrations", "schemas"];

export type Mutant = Change & {
  /** The path of the source, from the root of the project. */
  file: string;
  /** The folder of src/. */
  folder: string;
  line: number;
  /** What is changed, on one line. */
  change: string;
  /** Names the mutant without its line number, so that other changes of the file keep it. */
  key: string;
};

/** Returns all mutants of these folders of src/. */
export function allMutants(folders: readonly string[]): Mutant[] {
  return folders.flatMap((folder) => {
    const files = globSync(`src/${folder}/**/*.ts`, { cwd: ROOT, exclude: ["**/*.d.ts"] }).toSorted();
    return files.flatMap((file) => mutantsOf(file.replaceAll("\\", "/"), readFileSync(join(ROOT, file), "utf8")));
  });
}

/** Returns all mutants of a source. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const counts = new Map<string, number>();
  return changesOf(file, source).map((one) => {
    const { kind, start, end, to, within } = one;
    const from = oneLine(source.slice(start, end));
    const change = to === "" ? `removed ${kind}: ${from}` : `${from} → ${oneLine(to)}`;
    const before = oneLine(source.slice(source.lastIndexOf("\n", start) + 1, start));
    const plain = `${file} | ${within} | ${before} | ${change}`;
    const count = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, count);
    const line = source.slice(0, start).split("\n").length;
    return { ...one, file, folder: file.split("/")[1]!, line, change, key: count > 1 ? `${plain} | ${count}` : plain };
  });
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** Shuffles mutants by a hash of their keys. A change of the sources replaces only the mutants of the changed code. */
export function shuffled(mutants: readonly Mutant[], seed: number): Mutant[] {
  const hash = ({ key }: Mutant) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  return mutants
    .map((mutant) => ({ mutant, order: hash(mutant) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ mutant }) => mutant);
}
