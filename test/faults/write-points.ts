/**
 * Defines five operations. Each operation is a command that writes several records. Finds every system call by which an
 * operation changes files. A fault at such a call must leave the state before the operation or the state after it.
 */

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { environment, FORMCTL, formctl, makeDemo } from "./loop.ts";
import { difference, readRows, type Rows } from "./store-rows.ts";
import { type Fault, runTraced } from "./strace.ts";

const PROFILE = "staffing/candidate/Candidate profile";
const ACCESS = { users: [{ member: "ana@northwind.example", types: ["VIEW"] }], roles: [] };

/**
 * The operations by name. `words` are the command line. `script` is run instead of the command, and is wrong on
 * purpose.
 */
type Operations = Record<string, { words: readonly string[]; script?: string }>;

export const OPERATIONS: Operations = {
  "create a form": { words: ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW,EDIT"] },
  "set the access": { words: ["forms", "access", "set", PROFILE, "-f", "access.json", "--yes"] },
  "publish a layout": {
    words: ["layouts", "publish", "staffing/placement/Placement desk", "--confirm-field-change", "d_pay"],
  },
  "restore a version": { words: ["layouts", "versions", "restore", PROFILE, "1"] },
  "delete a form": { words: ["forms", "delete", PROFILE, "--allow-delete"] },
};

/** A write in two transactions that reports success in any case. */
export const CARELESS: Operations = {
  "write two records": { words: [], script: join(import.meta.dirname, "scripts", "careless-write.ts") },
};

/** The files at the start: the files of a closed store, or the files that a killed process leaves. */
const SCENES = ["closed", "killed"] as const;
type Scene = (typeof SCENES)[number];

export type Stage = {
  folder: string;
  operations: Operations;
  before: Rows;
  /** What each operation changes if no fault occurs. */
  changes: Map<string, string>;
};

export type Point = { scene: Scene; operation: string; call: string; number: number };

/** The result of an attack. `state` is the state of the store afterwards. */
export type Outcome = {
  state: "before" | "after" | "torn";
  code: number | null;
  isKilled: boolean;
  isAcknowledged: boolean;
  stderr: string;
  /** Violated invariants, or why the store can't be read. */
  broken: string[];
};

export async function setStage(folder: string, operations: Operations): Promise<Stage> {
  const path = join(folder, "demo.db");
  makeDemo(folder, path);
  formctl(folder, ["forms", "defaults", "clear", "staffing/candidate", "VIEW", "EDIT", "--store", path]);
  writeFileSync(join(folder, "access.json"), JSON.stringify(ACCESS));
  const store = openSqlite(path, { create: false });
  await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('written', 'before the kill')`));
  copyFileSync(path, join(folder, "killed.db"));
  copyFileSync(`${path}-wal`, join(folder, "killed.db-wal"));
  await store.close();
  copyFileSync(path, join(folder, "closed.db"));
  return { folder, operations, before: readRows(path), changes: new Map() };
}

/** Runs each operation without a fault. @returns all calls of all operations */
export async function findPoints(stage: Stage): Promise<Point[]> {
  const points: Point[] = [];
  for (const scene of SCENES) {
    for (const operation of Object.keys(stage.operations)) {
      const { path, run } = await runOperation(stage, scene, operation);
      if (run.code !== 0) throw new Error(`"${operation}" failed: ${run.stderr}`);
      const change = difference(stage.before, readRows(path));
      if (change === "") throw new Error(`"${operation}" changes nothing`);
      stage.changes.set(operation, change);
      for (const [call, count] of run.calls)
        for (let number = 1; number <= count; number++) points.push({ scene, operation, call, number });
    }
  }
  return points;
}

/** Runs the operation of a point with a fault at that point, and reads the store afterwards. */
export async function attackPoint(
  stage: Stage,
  { scene, operation, call, number }: Point,
  fault: Pick<Fault, "effect" | "persists">,
): Promise<Outcome> {
  const { path, run } = await runOperation(stage, scene, operation, { call, number, ...fault });
  const broken = await brokenIn(path);
  const found = broken.length === 0 ? difference(stage.before, readRows(path)) : "broken";
  return {
    state: found === "" ? "before" : found === stage.changes.get(operation) ? "after" : "torn",
    code: run.code,
    isKilled: run.signal === "SIGKILL",
    isAcknowledged: run.stdout.endsWith("\n"),
    stderr: run.stderr,
    broken,
  };
}

async function runOperation(stage: Stage, scene: Scene, operation: string, fault?: Fault) {
  const room = join(stage.folder, "room");
  rmSync(room, { recursive: true, force: true });
  mkdirSync(room);
  const path = join(room, "store.db");
  copyFileSync(join(stage.folder, `${scene}.db`), path);
  if (scene === "killed") copyFileSync(join(stage.folder, "killed.db-wal"), `${path}-wal`);
  const { words, script } = stage.operations[operation]!;
  const command = script ? [script, path] : [FORMCTL, ...words, "--store", path, "-o", "json"];
  const run = await runTraced([process.execPath, ...command], {
    paths: [room, path, `${path}-wal`, `${path}-shm`, `${path}-journal`],
    cwd: stage.folder,
    env: environment(stage.folder),
    ...(fault ? { fault } : {}),
  });
  return { path, run };
}

async function brokenIn(path: string): Promise<string[]> {
  try {
    const store = openSqlite(path, { create: false });
    const violations = await checkStore(store);
    await store.close();
    return violations.map(({ invariant, record, detail }) => `${invariant} ${record} ${detail}`);
  } catch (error) {
    return [String(error)];
  }
}
