/**
 * Runs the demo and the tests on other machines: `npm run test:machines [-- --only NAME,NAME] [--list]`.
 * Prints one line for each machine. Exits with 1 if a step failed, or if a machine left processes, files or changes.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSweeper } from "../run/start-sweeper.ts";
import { MACHINES } from "./machines.ts";
import { fillCache, reasonToSkip, runMachine, type Stage } from "./run-machine.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, list: { type: "boolean", default: false } } });
const names = values.only?.split(",") ?? MACHINES.map(({ name }) => name);
const unknown = names.find((each) => !MACHINES.some(({ name }) => name === each));
if (unknown !== undefined)
  throw new Error(`unknown machine "${unknown}". Valid names: ${MACHINES.map(({ name }) => name).join(", ")}`);

const WIDTH = Math.max(...MACHINES.map(({ name }) => name.length)) + 2;
const print = (name: string, line: string) => process.stdout.write(`${name.padEnd(WIDTH)}${line}\n`);

const rows = MACHINES.filter(({ name }) => names.includes(name)).map((machine) => {
  return { machine, reason: reasonToSkip(machine) };
});
if (values.list)
  for (const { machine, reason } of rows) print(machine.name, machine.description + (reason ? ` (${reason})` : ""));
else await runAll();

async function runAll(): Promise<void> {
  const source = join(import.meta.dirname, "..", "..");
  const status = spawnSync("git", ["status", "--porcelain"], { cwd: source, encoding: "utf8" });
  if (status.stdout !== "")
    process.stderr.write("warning: the machines run the last commit, without the changes since\n");
  const stage: Stage = {
    source,
    folder: mkdtempSync(join(tmpdir(), "formctl-machines-")),
    logs: join(source, "test-artifacts", "machines"),
  };
  chmodSync(stage.folder, 0o711);
  mkdirSync(stage.logs, { recursive: true });
  const sweeper = startSweeper([stage.folder]);
  try {
    if (rows.some(({ machine, reason }) => reason === undefined && !machine.hasNodeModules)) fillCache(stage);
    for (const { machine, reason } of rows) {
      if (reason !== undefined) {
        print(machine.name, `skipped: ${reason}`);
        continue;
      }
      const { passed, line } = await runMachine(machine, stage).catch((error: unknown) => {
        return { passed: false, line: `FAILED: ${String(error)}` };
      });
      print(machine.name, line);
      if (!passed) process.exitCode = 1;
    }
  } finally {
    rmSync(stage.folder, { recursive: true, force: true });
    sweeper.stdin.end();
  }
}
