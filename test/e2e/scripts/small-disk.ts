/**
 * Mounts a small disk in memory, fills it, and mounts it read-only. Prints the outcome of each command on a store on
 * this disk. Runs in its own mount namespace: the disk disappears with the process.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder = "", demo = "", killed = "", formctl = ""] = process.argv.slice(2);
const path = join(folder, "store.db");
const ballast = join(folder, "ballast");
const KIB = 1024;
const MOUNT = "mount";
const outcomes: Record<string, unknown> = {};

/** Runs a command. Returns the exit code, the code of a printed failure, and the number of records in the result. */
function run(...words: string[]): { exit: number | null; code: string | undefined; lines: number } {
  const ended = spawnSync(process.execPath, [formctl, ...words, "-o", "json"], { encoding: "utf8" });
  const failure = ended.stderr.split("\n").find((line) => line.startsWith('{"error"'));
  const code = failure === undefined ? undefined : (JSON.parse(failure) as { error: { code: string } }).error.code;
  const records = ended.status === 0 ? (JSON.parse(ended.stdout) as unknown) : undefined;
  return { exit: ended.status, code, lines: Array.isArray(records) ? records.length : 1 };
}
const create = (name: string, store = path) =>
  run("forms", "create", "staffing/candidate", "--name", name, "--types", "VIEW", "--store", store);
const list = (store = path) => run("forms", "list", "staffing/candidate", "--store", store);
const check = () => run("local", "check", "--store", path);

function mount(...options: string[]): void {
  const ended = spawnSync(MOUNT, [...options, folder], { encoding: "utf8" });
  if (ended.status !== 0) throw new Error(ended.stderr);
}

function fill(): void {
  for (const size of [KIB * KIB, 64 * KIB, KIB]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}

const size = statSync(demo).size + statSync(killed).size + statSync(`${killed}-wal`).size;
mount("-t", "tmpfs", "-o", `size=${Math.ceil(size / KIB) + 592}k`, "tmpfs");
copyFileSync(demo, path);
for (const suffix of ["", "-wal"]) copyFileSync(killed + suffix, join(folder, `killed.db${suffix}`));
writeFileSync(ballast, Buffer.alloc(256 * KIB));

let acknowledged = 0;
let last = create("Form 0");
while (last.exit === 0) last = create(`Form ${++acknowledged}`);
outcomes["fill"] = { acknowledged, last, list: list(), check: check() };
// With free space, the last command can move its log into the store. A command on the full disk then has to create a log.
rmSync(ballast);
list();
fill();
outcomes["full"] = { list: list(), create: create("On a full disk"), check: check() };
rmSync(ballast);
outcomes["freed"] = { create: create("After the disk was full"), list: list(), check: check() };
// With "bind", an ordinary user may do it too.
mount("-o", "remount,bind,ro");
outcomes["readOnly"] = { list: list(), create: create("On a read-only disk"), check: check() };
outcomes["killed"] = { list: list(join(folder, "killed.db")) };
process.stdout.write(JSON.stringify(outcomes));
