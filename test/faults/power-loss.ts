/**
 * Simulates power cuts while a store is created and written. The recorded writes determine the possible contents of the
 * disk at any moment. Each content must have all acknowledged writes and no partial write. Each content must open
 * without an error.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openSqlite } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store.ts";
import { CrashDisk } from "./crash-disk.ts";
import { type DiskEvent, recordDisk } from "./disk-recording.ts";
import { environment, FORMCTL, generator, inFolder, type Loop, type Result } from "./loop.ts";
import { readRows } from "./store-rows.ts";
import { reasonWithoutStrace } from "./strace.ts";

const script = (name: string) => join(import.meta.dirname, "scripts", name);
/** The path of the store that the recorded programs write, below the folder of the recording. */
const STORE = join("data", "formctl", "store.db");

type Synchronous = "FULL" | "NORMAL" | "OFF";

async function attackAll(count: number, seed: number, synchronous: Synchronous): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const events = await record(folder, count < 1000 ? 2 : 12, synchronous);
    const facts = { events: events.length, acknowledged: 0, log: 0 };
    const violations: string[] = [];
    /** Sorted moments. A moment is the number of events before the crash. */
    const moments = Array.from({ length: count }, () => random(events.length + 1)).sort((a, b) => a - b);
    const expected = await statesAt(events, folder);
    const disk = new CrashDisk(join(folder, "recorded"));
    let done = 0;
    for (const moment of moments) {
      for (; done < moment; done++) {
        const event = events[done]!;
        if (event.kind === "acknowledge") facts.acknowledged++;
        else disk.apply(event);
      }
      const crashed = emptyFolder(join(folder, "crashed"));
      disk.crash(crashed, random);
      if (existsSync(`${join(crashed, STORE)}-wal`)) facts.log++;
      const found = await stateOf(crashed);
      const valid = [expected[facts.acknowledged]!, expected[facts.acknowledged + 1] ?? expected.at(-1)!];
      if (valid.includes(found)) continue;
      if (facts.acknowledged === 0 && (await canBeCreated(crashed))) continue;
      const known = expected.indexOf(found);
      const problem = known < 0 ? `the store is torn or damaged: ${found}` : `it has ${known} of the writes`;
      violations.push(`crash after event ${moment}, ${facts.acknowledged} writes acknowledged: ${problem}`);
    }
    if (facts.acknowledged === 0) throw new Error("nothing was acknowledged: the attack proves nothing");
    return { count, violations, facts };
  });
}

/** Creates a store in a new folder, and writes to it from several processes. */
function record(folder: string, writes: number, synchronous: Synchronous): Promise<DiskEvent[]> {
  const root = emptyFolder(join(folder, "recorded"));
  const store = join(root, STORE);
  const weakened =
    synchronous === "FULL" ? {} : { NODE_OPTIONS: `--import=${pathToFileURL(script("weaken-sync.ts")).href}` };
  const formctl = (...words: string[]) => [process.execPath, FORMCTL, ...words, "--store", store, "-o", "json"];
  return recordDisk(
    [
      formctl("local", "init", "--demo"),
      formctl("forms", "create", "staffing/candidate", "--name", "First", "--types", "VIEW"),
      [process.execPath, script("write-recorded.ts"), store, String(writes), "3"],
      formctl("layouts", "publish", "staffing/placement/Placement desk", "--confirm-field-change", "d_pay"),
    ],
    {
      folder: root,
      log: join(folder, "log"),
      env: { ...environment(folder), ...weakened, SYNCHRONOUS: synchronous },
    },
  );
}

/** Returns the first state of the store, and the state after each acknowledged write. */
async function statesAt(events: readonly DiskEvent[], folder: string): Promise<string[]> {
  const disk = new CrashDisk(join(folder, "recorded"));
  const states = ["missing"];
  for (const event of events) {
    if (event.kind !== "acknowledge") {
      disk.apply(event);
      continue;
    }
    const copy = emptyFolder(join(folder, "copy"));
    disk.copyTo(copy);
    states.push(await stateOf(copy));
  }
  return states;
}

/** Returns a hash of all records, or the reason why the store can't be used. */
async function stateOf(folder: string): Promise<string> {
  const path = join(folder, STORE);
  if (!existsSync(path)) return "missing";
  try {
    const store = openSqlite(path, { create: false });
    const damage = await store.verify?.();
    await store.close();
    if (damage?.length) return damage.join(", ");
    return createHash("sha256")
      .update(JSON.stringify([...readRows(path)]))
      .digest("hex")
      .slice(0, 16);
  } catch (error) {
    return String(error);
  }
}

/** Whether the store can be created in this state. Such a state is valid before the first acknowledged write. */
async function canBeCreated(folder: string): Promise<boolean> {
  try {
    const store = openSqlite(join(folder, STORE), { create: true });
    const damage = await store.verify?.();
    await store.close();
    return damage?.length === 0;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  return path;
}

export const powerLoss: Loop = {
  name: "power-loss",
  full: 20_000,
  sample: 100,
  skipped: reasonWithoutStrace,
  run: (count, seed) => attackAll(count, seed, "FULL"),
  // Two controls must have violations. With NORMAL, commits are not flushed, so acknowledged writes are lost. With OFF,
  // nothing is flushed, so the store is damaged.
  control: async (seed) => {
    const [lossy, damaging] = [await attackAll(80, seed, "NORMAL"), await attackAll(80, seed, "OFF")];
    const isDetected = [lossy, damaging].every(({ violations }) => violations.length > 0);
    return isDetected
      ? { ...lossy, violations: [...lossy.violations, ...damaging.violations] }
      : { ...lossy, violations: [] };
  },
};
