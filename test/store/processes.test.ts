/** Runs several processes on one store. No update is lost between them. No acknowledged write is lost after a kill. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import sql from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../src/store/sqlite.ts";
import { countOf } from "../effort.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders("on disk");
const countUp = fileURLToPath(new URL("./scripts/count-up.ts", import.meta.url));
const acknowledge = fileURLToPath(new URL("./scripts/acknowledge.ts", import.meta.url));

/** @returns the stderr and the exit code of each process */
function runTogether(times: number, args: string[]): Promise<string[]> {
  return Promise.all(
    Array.from({ length: times }, async () => {
      const child = spawn(process.execPath, [countUp, ...args], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      const [code] = (await once(child, "close")) as [number | null];
      return `${code} ${said}`;
    }),
  );
}

async function counterIn(path: string): Promise<number> {
  const store = openSqlite(path, { create: false });
  const row = await store.read((tx) => tx.first<{ value: string }>(sql`SELECT value FROM meta WHERE key = 'n'`));
  expect(await store.verify?.()).toEqual([]);
  await store.close();
  return Number(row?.value);
}

describe("four processes that count", () => {
  it.each([
    ["with one connection each, from the moment the file is made", "keep", 150],
    ["with a new connection for each number", "reopen", 30],
  ])("lose no update and wait for each other, %s", async (_how, manner, times) => {
    const path = join(folder(), "store.db");
    expect(await runTogether(4, [path, String(times), manner])).toEqual(["0 ", "0 ", "0 ", "0 "]);
    expect(await counterIn(path)).toBe(4 * times);
  });

  it("lose counts if they read before they lock (control)", async () => {
    let counted = 600;
    // On a busy machine the processes may run one after the other, so the test repeats.
    for (let round = 0; round < 25 && counted === 600; round++) {
      const path = join(folder(), "store.db");
      await runTogether(4, [path, "150", "unlocked"]);
      counted = await counterIn(path);
    }
    expect(counted).toBeLessThan(600);
  });
});

describe("eight processes that create the same store concurrently", () => {
  it("all succeed", async () => {
    for (let round = 0; round < 2; round++) {
      const path = join(folder(), "store.db");
      expect(await runTogether(8, [path, "1"])).toEqual(Array.from({ length: 8 }, () => "0 "));
      expect(await counterIn(path)).toBe(8);
    }
  });
});

describe("a process that is killed while it writes", () => {
  it("loses no acknowledged write, and leaves no partial write", async () => {
    const random = generator(20_260_101);
    const kills = countOf("killed writers");
    const lost = await Promise.all([killOften("honest", kills, random), killOften("honest", kills, random)]);
    expect(lost).toEqual([0, 0]);
  });

  it("loses writes if it acknowledges too early (control)", async () => {
    expect(await killOften("too-early", 8, generator(1))).toBeGreaterThan(0);
  });
});

/**
 * Repeatedly kills a writer on one store.
 *
 * @returns how many acknowledged writes are missing
 */
async function killOften(manner: string, kills: number, random: (limit: number) => number): Promise<number> {
  const path = join(folder(), "store.db");
  const acknowledged = new Set<string>();
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [acknowledge, path, String(kill * 10_000), manner], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    // Every fifth process is killed before its first acknowledged write, while it starts or creates the store.
    if (kill % 5 === 0) await setTimeout(random(80));
    else {
      await once(child.stdout, "data");
      await setTimeout(random(60));
    }
    child.kill("SIGKILL");
    await once(child, "close");
    // A number without a line end is incomplete.
    for (const line of said.split("\n").slice(0, -1)) acknowledged.add(line);
  }
  return countMissing(path, acknowledged);
}

async function countMissing(path: string, acknowledged: ReadonlySet<string>): Promise<number> {
  expect(existsSync(path)).toBe(true);
  expect(acknowledged.size).toBeGreaterThan(0);
  const store = openSqlite(path, { create: false });
  const rows = await store.read((tx) =>
    tx.all<{ id: string; role: string | null }>(
      sql`SELECT o.id, r.id AS role FROM organizations o LEFT JOIN roles r ON r.org_id = o.id`,
    ),
  );
  expect(rows.filter(({ role }) => role === null)).toEqual([]);
  expect(await store.verify?.()).toEqual([]);
  await store.close();
  const present = new Set(rows.map(({ id }) => id));
  return [...acknowledged].filter((id) => !present.has(id)).length;
}

/** Park and Miller's generator: the same seed gives the same times. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
