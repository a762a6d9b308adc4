/**
 * Cuts the power before each request of an apply. The journal on the disk must already have the entry of the request,
 * because the next apply continues from these entries.
 */

import { fstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { readRuns } from "../../src/apply/journal.ts";
import type { RecordedRun } from "../../src/apply/recorded-runs.ts";
import { mapCalls } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { CrashDisk } from "../faults/crash-disk.ts";
import { temporaryFolders } from "../temporary.ts";
import { carryOut, setScene } from "./apply-scene.ts";

const newFolder = temporaryFolders();

type Flushes = "work" | "do nothing";

/** Returns a disk that has what file handles of this process write to the files of `folder` and flush, from now on. */
async function recordHandles(folder: string, flushes: Flushes): Promise<CrashDisk> {
  const disk = new CrashDisk(folder);
  const known = new Set<string>();
  const pathsIn = () => readdirSync(folder).map((name) => join(folder, name));
  const recordNew = () => {
    for (const path of pathsIn()) {
      if (!known.has(path)) disk.apply({ kind: "create", path });
      known.add(path);
    }
  };
  const pathOf = ({ fd }: FileHandle) =>
    [folder, ...pathsIn()].find((path) => statSync(path).ino === fstatSync(fd).ino);

  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const spies = (["appendFile", "sync", "datasync"] as const).map((name) => {
    const call = prototype[name] as (...args: unknown[]) => Promise<void>;
    return vi.spyOn(prototype, name).mockImplementation(async function (this: FileHandle, ...args: unknown[]) {
      await call.apply(this, args);
      recordNew();
      const path = pathOf(this);
      if (path === undefined) return;
      if (name === "appendFile") {
        const data = Buffer.from(args[0] as string);
        disk.apply({ kind: "write", path, offset: fstatSync(this.fd).size - data.length, data });
      } else if (flushes === "work") disk.apply({ kind: "flush", path });
    });
  });
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return disk;
}

/** Applies the plan of the scene. @returns the writes that were sent without their entry on the disk */
async function sentWithoutEntry(flushes: Flushes): Promise<{ missing: string[]; sent: number; last: RecordedRun[] }> {
  const world = await engineOnSqlite.open();
  onTestFinished(() => world.close());
  const { service, plan } = await setScene(world);
  const folder = newFolder();
  const disk = await recordHandles(folder, flushes);
  /** Returns the journals that remain if the disk loses everything that is not flushed. */
  const afterCrash = (): Promise<RecordedRun[]> => {
    const crashed = join(newFolder(), "crashed");
    mkdirSync(crashed);
    disk.crash(crashed, () => 0);
    return readRuns(crashed);
  };

  const missing: string[] = [];
  const sent = new Map<string, number>();
  const writes = new Set<string>(plan.resources.flatMap(({ steps }) => steps.map(({ request }) => request.operation)));
  const crashing = mapCalls(service, (call, name) => async (input, options) => {
    if (writes.has(name)) {
      // Requests are sent side by side, so the count is that of the moment of the crash.
      const sentByThen = (sent.get(name) ?? 0) + 1;
      sent.set(name, sentByThen);
      const entries = (await afterCrash()).flatMap((run) => run.entries);
      const recorded = entries.filter((entry) => entry.event === "intent" && entry.operation === name).length;
      if (recorded < sentByThen) missing.push(name);
    }
    return call(input, options);
  });
  await carryOut(plan, { service: crashing, folder });
  const total = [...sent.values()].reduce((sum, count) => sum + count, 0);
  return { missing, sent: total, last: await afterCrash() };
}

it("has the entry of each request on the disk before the request is sent, and the outcome of the run", async () => {
  const { missing, sent, last } = await sentWithoutEntry("work");
  expect(missing).toEqual([]);
  expect(sent).toBeGreaterThan(15);
  expect(last.map(({ outcome }) => outcome)).toEqual(["done"]);
});

it("finds the missing entries of a disk that ignores flushes (control)", async () => {
  const { missing, sent } = await sentWithoutEntry("do nothing");
  expect(missing).toHaveLength(sent);
});
