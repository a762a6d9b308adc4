/** Tests that the watch of files notices a save by any kind of editor. */

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { watchFiles } from "../../src/disk/watch-file.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const QUIET_MS = 600;

/** Watches files of a new folder. `saves` counts the calls of `saved`. */
async function watched(names: string[], saved: () => Promise<void> | void = () => undefined) {
  const folder = newFolder();
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, "a: 1\n");
  const seen = { saves: 0, errors: [] as unknown[] };
  const watch = await watchFiles(paths, {
    async saved() {
      seen.saves++;
      await saved();
    },
    failed: (error) => seen.errors.push(error),
  });
  onTestFinished(() => watch.close());
  return { seen, watch, folder, path: paths[0]!, paths };
}

const waitForSaves = async (seen: { saves: number }, count: number) => {
  await expect.poll(() => seen.saves).toBe(count);
};

it("notices a file that is written in place, once for each save", async () => {
  const { seen, path } = await watched(["a.yaml"]);
  writeFileSync(path, "a: 2\n");
  await waitForSaves(seen, 1);
  writeFileSync(path, "a: 33\n");
  await waitForSaves(seen, 2);
  await sleep(QUIET_MS);
  expect(seen.saves).toBe(2);
});

it("notices a file that an editor replaces by renaming another one, again and again", async () => {
  const { seen, folder, path } = await watched(["a.yaml"]);
  for (const count of [1, 2, 3]) {
    writeFileSync(join(folder, ".a.yaml.new"), `a: ${count}${count}\n`);
    renameSync(join(folder, ".a.yaml.new"), path);
    await waitForSaves(seen, count);
  }
  expect(seen.errors).toEqual([]);
});

it("notices a file that an editor moves to a backup and writes again", async () => {
  const { seen, path } = await watched(["a.yaml"]);
  for (const count of [1, 2]) {
    renameSync(path, `${path}~`);
    writeFileSync(path, `a: ${count}${count}\n`);
    await waitForSaves(seen, count);
  }
  expect(seen.errors).toEqual([]);
});

it("notices a file that is created after it was deleted, but not the deletion", async () => {
  const { seen, path } = await watched(["a.yaml"]);
  rmSync(path);
  await sleep(QUIET_MS);
  expect(seen.saves).toBe(0);
  writeFileSync(path, "a: 2\n");
  await waitForSaves(seen, 1);
});

it("notices each of several files, and no other file of their folder", async () => {
  const { seen, folder, paths } = await watched(["a.yaml", "b.yaml"]);
  writeFileSync(join(folder, "c.yaml"), "c: 1\n");
  await sleep(QUIET_MS);
  expect(seen.saves).toBe(0);
  for (const [index, path] of paths.entries()) {
    writeFileSync(path, "a: 22\n");
    await waitForSaves(seen, index + 1);
  }
});

it("calls once more after saves during a call, and reports an error of the call", async () => {
  let finish: () => void = () => undefined;
  const { seen, path } = await watched(["a.yaml"], async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    if (seen.saves === 2) throw new Error("the second call fails");
  });
  writeFileSync(path, "a: 2\n");
  await waitForSaves(seen, 1);
  for (const text of ["a: 33\n", "a: 444\n"]) {
    writeFileSync(path, text);
    await sleep(QUIET_MS);
  }
  expect(seen.saves).toBe(1);
  finish();
  await waitForSaves(seen, 2);
  finish();
  await expect.poll(() => seen.errors).toEqual([new Error("the second call fails")]);
  await sleep(QUIET_MS);
  expect(seen.saves).toBe(2);
});

it("calls nothing after it is closed", async () => {
  const { seen, path, watch } = await watched(["a.yaml"]);
  await watch.close();
  writeFileSync(path, "a: 2\n");
  await sleep(QUIET_MS);
  expect(seen).toEqual({ saves: 0, errors: [] });
});

it("notices new files in a folder, but no hidden ones, and files that are added later", async () => {
  const folder = newFolder();
  const later = join(newFolder(), "later.yaml");
  writeFileSync(later, "a: 1\n");
  let saves = 0;
  const watch = await watchFiles([folder], { saved: () => void saves++, failed: () => undefined });
  onTestFinished(() => watch.close());
  writeFileSync(join(folder, ".hidden.yaml"), "a: 1\n");
  await sleep(QUIET_MS);
  expect(saves).toBe(0);
  writeFileSync(join(folder, "new.yaml"), "a: 1\n");
  await expect.poll(() => saves).toBe(1);
  watch.add([later]);
  await sleep(QUIET_MS);
  writeFileSync(later, "a: 2\n");
  await expect.poll(() => saves).toBe(2);
});
