/**
 * Restores a backup, and kills its own process. `at` determines the moment of the kill:
 * - A number: before the call with this number. Calls of `fs` and SQLite are counted if they can change a file.
 * - A time such as `20ms`: after this time.
 *
 * Exits with 0 if the restore finishes before this moment. The order `main-first` is for the control. It can leave the
 * log of another store next to the restored store.
 */

import { createRequire, syncBuiltinESMExports } from "node:module";
import type Sqlite from "node:sqlite";

const [path = "", from = "", order = "", at = ""] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const die = () => process.kill(process.pid, "SIGKILL");
let isArmed = false;
let calls = 0;

function count(): void {
  if (isArmed && ++calls === Number(at)) die();
}

type Callable = (...args: unknown[]) => unknown;

function instrument(of: object, names: readonly string[]): void {
  const target = of as Record<string, unknown>;
  for (const name of names) {
    const real = target[name] as Callable;
    target[name] = function counted(this: unknown, ...args: unknown[]) {
      // A call on a database in memory changes no file.
      if (!(this instanceof sqlite.DatabaseSync) || this.location() !== null) count();
      return Reflect.apply(real, this, args);
    };
  }
}

const fs = require("node:fs") as Record<string, unknown>;
const promises = require("node:fs/promises") as Record<string, unknown>;
const sqlite = require("node:sqlite") as typeof Sqlite;
const names = ["link", "rename", "unlink", "rm", "mkdir", "mkdtemp", "open", "copyFile", "writeFile"];
instrument(promises, names);
instrument(
  fs,
  names.map((name) => `${name}Sync`),
);
instrument(sqlite, ["backup"]);
instrument(sqlite.DatabaseSync.prototype, ["exec", "close"]);
instrument(sqlite.StatementSync.prototype, ["run"]);
syncBuiltinESMExports();

const { restoreStore } = await import("../../../src/store/backup.ts");
isArmed = !at.endsWith("ms");
if (!isArmed) setTimeout(die, Number.parseInt(at, 10));
if (order === "main-first") await restoreMainFirst();
else await restoreStore(from, path);

async function restoreMainFirst(): Promise<void> {
  const { existsSync, renameSync, copyFileSync } = await import("node:fs");
  const hadMain = existsSync(path);
  if (hadMain) renameSync(path, `${path}.damaged`);
  for (const suffix of hadMain ? ["-wal", "-shm"] : [])
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.damaged${suffix}`);
  copyFileSync(from, path);
}
