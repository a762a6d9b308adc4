/** Reads a folder on another thread while its files are replaced. */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { temporaryFolders } from "../temporary.ts";
import { replaceFiles } from "../../build/build.ts";

const newFolder = temporaryFolders();

/** Writes a build: two files that every build has, and one whose name only this version has. */
function writeBuild(folder: string, version: number): void {
  mkdirSync(join(folder, "types"), { recursive: true });
  writeFileSync(join(folder, `chunk-${version}.js`), "");
  writeFileSync(join(folder, "types", "index.d.ts"), "");
  writeFileSync(join(folder, "entry.js"), String(version));
}

const READER = `
const { existsSync } = require("node:fs");
const { folder, counts } = require("node:worker_threads").workerData;
while (Atomics.load(counts, 2) === 0) {
  Atomics.add(counts, 0, 1);
  if (!existsSync(folder + "/entry.js") || !existsSync(folder + "/types/index.d.ts")) Atomics.add(counts, 1, 1);
}`;

type Counts = { versions: number; reads: number; missing: number };

/** Replaces a build again and again until the counts suffice, and returns what the reader found. */
async function readWhile(
  replace: (from: string, to: string) => void,
  suffices: (counts: Counts) => boolean,
): Promise<Counts> {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const [root, found] = [newFolder(), { versions: 0, reads: 0, missing: 0 }];
  const [from, folder] = [join(root, "next"), join(root, "dist")];
  writeBuild(folder, 0);
  const reader = new Worker(READER, { eval: true, workerData: { folder, counts } });
  while (!suffices(found)) {
    writeBuild(from, ++found.versions);
    replace(from, folder);
    [found.reads, found.missing] = counts as unknown as [number, number];
  }
  Atomics.store(counts, 2, 1);
  await new Promise((resolve) => reader.once("exit", resolve));
  return found;
}

it("leaves each file in place until the new one replaces it", async () => {
  const { missing } = await readWhile(replaceFiles, ({ versions, reads }) => versions >= 300 && reads >= 3_000);
  expect(missing).toBe(0);
});

it("would be seen to remove a file: the control", async () => {
  const remove = (from: string, to: string) => {
    rmSync(to, { recursive: true });
    renameSync(from, to);
  };
  const { missing } = await readWhile(remove, (counts) => counts.missing > 0 || counts.versions === 30_000);
  expect(missing).toBeGreaterThan(0);
});

it("removes the files that the new build does not have", () => {
  const root = newFolder();
  const [from, to] = [join(root, "next"), join(root, "dist")];
  writeBuild(to, 1);
  writeBuild(from, 2);
  replaceFiles(from, to);
  const files = readdirSync(to, { recursive: true, encoding: "utf8" });
  expect(files.toSorted()).toEqual(["chunk-2.js", "entry.js", "types", join("types", "index.d.ts")]);
  expect(readFileSync(join(to, "entry.js"), "utf8")).toBe("2");
});
