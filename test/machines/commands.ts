/**
 * Runs the commands of a machine, and finds what they leave. This is a process of its own, because root runs it in new
 * namespaces: there, /tmp and /dev/shm are empty, and only the processes of the machine are visible.
 *
 * The argument is a `Job` as JSON. Prints an `Outcome` as JSON.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { endProcesses, processesOf } from "../run/processes.ts";
import { type Machine, type Step, STEPS } from "./machines.ts";

export type Job = {
  commands: Machine["commands"];
  /** The line that root executes first in the new namespaces; undefined if there are none. */
  line: string | undefined;
  /** The folder of the machine, and the clone in it. */
  folder: string;
  clone: string;
  log: string;
  /** The folders of temporary files. The commands must leave none. */
  temporary: readonly string[];
  user: { uid?: number; gid?: number };
  environment: Record<string, string>;
};

/** `failure` is empty after a success. `about` has counts from the output, such as the lines of warnings of npm. */
type Ended = { seconds: number; failure: string; about: readonly string[] };
export type Outcome = { steps: Partial<Record<Step, Ended>>; left: readonly string[] };

/** A step that takes longer is ended. */
const LONGEST_MINUTES = 30;
/** The sweeper of a test run ends a moment after the run. */
const GRACE_MS = 30_000;

/** The folder of temporary files in which npm keeps its compiled code. */
const COMPILE_CACHE = "node-compile-cache";

const { commands, line, folder, clone, log, temporary, user, environment } = JSON.parse(process.argv[2]!) as Job;
const isApart = line !== undefined;
const output = openSync(log, "a");

/** Mounts empty folders for temporary files. If the folder of all machines is in one of them, it stays visible. */
function separate(): void {
  const machines = dirname(folder);
  const lines = [
    'mount --bind "$1/tmp" /tmp',
    "mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
    'mkdir -p "$0"',
    // The canonical path of "." would be that of the new folder.
    'mount --no-canonicalize --bind . "$0"',
    line,
  ];
  const words = ["-c", lines.join(" && "), machines, folder];
  const { status, stderr } = spawnSync("sh", words, { cwd: machines, encoding: "utf8" });
  if (status !== 0) throw new Error(`the namespaces can't be set up: ${stderr}`);
}

async function run(command: string): Promise<Ended> {
  writeSync(output, `\n$ ${command}\n`);
  const position = statSync(log).size;
  const start = performance.now();
  const child = spawn("sh", ["-c", command], {
    cwd: clone,
    env: environment,
    ...user,
    stdio: ["ignore", output, output],
    detached: true,
  });
  let failure = "";
  const timer = setTimeout(() => {
    failure = `no end after ${LONGEST_MINUTES} minutes`;
    process.kill(-child.pid!, "SIGKILL");
  }, LONGEST_MINUTES * 60_000);
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(timer);
  if (failure === "" && code !== 0) failure = `exit code ${code ?? signal}`;
  const text = stripVTControlCharacters(readFileSync(log).subarray(position).toString());
  return { seconds: (performance.now() - start) / 1000, failure, about: aboutOutput(text) };
}

function aboutOutput(text: string): string[] {
  const warnings = text.match(/^npm warn .*/gim)?.length ?? 0;
  const tests = /^ +Tests +(.*\))$/m.exec(text)?.[1];
  return [...(warnings > 0 ? [`${warnings} lines of npm warnings`] : []), ...(tests === undefined ? [] : [tests])];
}

function temporaryFiles(): string[] {
  return temporary.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name !== COMPILE_CACHE)
      .map((name) => join(parent, name)),
  );
}

function leftProcesses(): { pid: number; command: string }[] {
  if (!isApart) return processesOf([folder], process.pid);
  // The first process of the namespace has started this one.
  return processesOf(["/"], process.pid).filter(({ pid }) => pid !== 1);
}

/** Lists the files of the clone that differ from its commit. */
function changedFiles(): string[] {
  // Root reads the clone of another user only with this setting.
  const words = ["-c", "safe.directory=*", "status", "--porcelain"];
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: clone, encoding: "utf8" });
  if (status !== 0) throw new Error(`git status failed: ${stderr}`);
  return stdout.split("\n").filter(Boolean);
}

if (isApart) separate();
const before = new Set(temporaryFiles());
const newFiles = () => temporaryFiles().filter((path) => !before.has(path));
const steps: Outcome["steps"] = {};
for (const step of STEPS) {
  // Without its set-up, nothing works.
  if (!steps["set-up"]?.failure) steps[step] = await run(commands[step]);
}
const end = performance.now() + GRACE_MS;
while (leftProcesses().length + newFiles().length > 0 && performance.now() < end) await wait(200);
const processes = leftProcesses();
const left = [
  ...processes.map(({ command }) => `process ${command.slice(0, 100)}`),
  ...newFiles().map((path) => `file ${path}`),
  ...changedFiles().map((change) => `change ${change}`),
];
// In a namespace, they end with its first process.
if (!isApart) await endProcesses([folder], process.pid);
process.stdout.write(JSON.stringify({ steps, left } satisfies Outcome));
