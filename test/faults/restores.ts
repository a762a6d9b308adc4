/**
 * Interrupts restores at any moment. Afterwards the path must have either the former store or the store of the backup.
 * The next restore must finish.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sql from "sql-template-tag";
import { backupStore, restoreStore } from "../../src/store/backup.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store.ts";
import { generator, inFolder, type Loop, makeDemo, type Result } from "./loop.ts";

const script = join(import.meta.dirname, "scripts", "killed-restore.ts");

/** The files at the path of the restore, next to the log of a killed server. */
export const SCENES = ["live", "removed", "damaged", "another store"] as const;
export type Scene = (typeof SCENES)[number];
export type Order = "present" | "main-first";

/** The maximum number of calls that a restore makes. If the kill is planned at a later call, the restore finishes. */
export const MOST_CALLS = 20;

/** The files from which attacks start. */
export type Stage = {
  folder: string;
  backup: string;
  /** The valid contents after an interrupted restore in each scene, besides the content of the backup. */
  before: Record<Scene, string[]>;
  restored: string;
};

export async function setStage(folder: string): Promise<Stage> {
  const at = (name: string) => join(folder, name);
  makeDemo(folder, at("demo.db"));
  await backupStore(at("demo.db"), at("backup.db"));
  await backupStore(at("demo.db"), at("other.db"));
  const other = openSqlite(at("other.db"), { create: false });
  await other.write((tx) => tx.run(sql`DELETE FROM forms WHERE name = 'Candidate intake'`)).catch(() => undefined);
  await other.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('another', 'store')`));
  await other.close();
  // Copies the files of the open store: its last writes are only in the log. A killed process leaves files in this
  // state.
  const store = openSqlite(at("demo.db"), { create: false });
  for (let number = 0; number < 40; number++)
    await store.write((tx) =>
      tx.run(sql`INSERT INTO meta VALUES (${`after the backup ${number}`}, ${"x".repeat(900)})`),
    );
  await store.write((tx) => tx.run(sql`UPDATE forms SET is_active = is_active`));
  copyFileSync(at("demo.db"), at("main"));
  copyFileSync(at("demo.db-wal"), at("log"));
  await store.close();
  const stage: Stage = {
    folder,
    backup: at("backup.db"),
    before: { live: [], removed: [], damaged: [], "another store": [] },
    restored: await contentOf(at("backup.db")),
  };
  for (const scene of SCENES) {
    const path = lay(stage, scene, `before ${scene}`);
    // A restore opens the store. Opening can change the files, so the contents before and after are both valid.
    stage.before[scene] = [await contentOf(path), await contentOf(path)];
  }
  return stage;
}

/** Creates the files of a scene in a new folder. @returns the path of the store */
function lay({ folder }: Stage, scene: Scene, name: string): string {
  const room = join(folder, name);
  rmSync(room, { recursive: true, force: true });
  mkdirSync(room);
  const path = join(room, "store.db");
  copyFileSync(join(folder, "log"), `${path}-wal`);
  if (scene === "live") copyFileSync(join(folder, "main"), path);
  if (scene === "damaged")
    for (const suffix of ["", "-wal"]) writeFileSync(path + suffix, "not a database ".repeat(5000));
  if (scene === "another store") copyFileSync(join(folder, "other.db"), path);
  return path;
}

/**
 * Interrupts a restore, and checks the files afterwards.
 *
 * @param at the number of the call before which the process is killed, or a time such as `20ms`
 * @returns what is wrong afterwards, and whether the restore was killed
 */
export async function interrupt(
  stage: Stage,
  scene: Scene,
  order: Order,
  at: string,
): Promise<{ violations: string[]; isKilled: boolean }> {
  const path = lay(stage, scene, `${scene} ${order} ${at}`);
  const child = spawn(process.execPath, [script, path, stage.backup, order, at], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  const isKilled = signal === "SIGKILL";
  const violations: string[] = [];
  const complain = (what: string) => violations.push(`${scene}, killed at ${at}: ${what}`);
  if (!isKilled && code !== 0) complain(`exit ${code}: ${said.slice(0, 300)}`);

  // The check reads a copy of the files: opening a store changes its files.
  const found = await contentOf(copyOf(path));
  const expected = isKilled ? [...stage.before[scene], stage.restored] : [stage.restored];
  // The restore may already have removed the log of the killed server. Then the other store is read without this log.
  if (isKilled && scene === "another store") expected.push(await contentOf(join(stage.folder, "other.db")));
  if (!expected.includes(found)) complain(`it left neither the old nor the new store (${found})`);
  if (order === "present") {
    await restoreStore(stage.backup, path);
    if ((await contentOf(path)) !== stage.restored) complain("the next restore did not finish");
  }
  rmSync(join(path, ".."), { recursive: true, force: true });
  return { violations, isKilled };
}

function copyOf(path: string): string {
  const folder = join(path, "..", "copy");
  mkdirSync(folder);
  for (const suffix of ["", "-wal", "-journal"])
    if (existsSync(path + suffix)) copyFileSync(path + suffix, join(folder, `store.db${suffix}`));
  return join(folder, "store.db");
}

/** Returns a hash of all records of a store, or the reason why it can't be read. */
async function contentOf(path: string): Promise<string> {
  if (!existsSync(path)) return "missing";
  // A store that can't be read is identified by a hash of its bytes. Otherwise two different damaged stores would look
  // equal.
  const bytes = createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12);
  try {
    const store = openSqlite(path, { create: false });
    const violations = await checkStore(store);
    await store.close();
    if (violations.length > 0) return `unsound ${bytes}`;
    const db = new DatabaseSync(path, { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all();
    const hash = createHash("sha256");
    for (const { name } of tables)
      for (const row of db.prepare(`SELECT * FROM "${String(name)}" ORDER BY 1, 2`).all())
        hash.update(JSON.stringify(row));
    db.close();
    return hash.digest("hex").slice(0, 12);
  } catch (error) {
    if (error instanceof StoreError) return `${error.code} ${bytes}`;
    throw error;
  }
}

async function attackAll(count: number, seed: number, order: Order, scenes: readonly Scene[]): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const stage = await setStage(folder);
    const violations: string[] = [];
    const facts = { killed: 0, finished: 0 };
    for (let attack = 0; attack < count; attack++) {
      const scene = scenes[random(scenes.length)]!;
      const at = random(3) === 0 ? `${random(40)}ms` : String(1 + random(MOST_CALLS));
      const { violations: found, isKilled } = await interrupt(stage, scene, order, at);
      facts[isKilled ? "killed" : "finished"]++;
      violations.push(...found);
    }
    if (facts.killed === 0) violations.push("no restore was interrupted: the attack proves nothing");
    return { count, violations, facts };
  });
}

export const restores: Loop = {
  name: "restores",
  full: 500,
  sample: 12,
  run: (count, seed) => attackAll(count, seed, "present", SCENES),
  control: (seed) => attackAll(6, seed, "main-first", ["removed"]),
};
