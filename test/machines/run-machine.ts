/** Prepares a machine in a folder, runs its commands (`commands.ts`), and removes the folder. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { ordinaryUser } from "../ordinary-user.ts";
import type { Job, Outcome } from "./commands.ts";
import { type Machine, STEPS } from "./machines.ts";

/** What the machines of a run share. */
export type Stage = {
  /** The repository. The machines clone its current commit. */
  source: string;
  /** A folder that each user may enter. Each machine has a folder in it. */
  folder: string;
  logs: string;
};

const isRoot = process.getuid?.() === 0;

/** The folders of PATH, without those that npm adds for a script of this package. */
const PATH = process.env["PATH"]!.split(delimiter).filter((folder) => !folder.includes("node_modules"));

const LAUNCHER = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** The command line that runs a command in the namespaces of a machine. */
const inNamespaces = ({ namespaces }: Machine, ...command: readonly string[]) => [
  ...LAUNCHER,
  ...(namespaces?.options ?? []),
  ...command,
];

function hasNamespaces(machine: Machine): boolean {
  const [launcher = "", ...words] = inNamespaces(machine, "true");
  return isRoot && spawnSync(launcher, words).status === 0;
}

/** @returns why the machine can't be prepared here; undefined if it can */
export function reasonToSkip(machine: Machine): string | undefined {
  if (machine.user === "root" && !isRoot) return "needs root";
  if (machine.namespaces === undefined || hasNamespaces(machine)) return undefined;
  return isRoot ? "unshare fails here" : "needs root";
}

/** Fills the cache of npm with the packages of the repository. */
export function fillCache(stage: Stage): void {
  const clone = join(stage.folder, "packages");
  cloneCommit(stage, clone);
  execute("npm", ["ci", "--cache", cacheOf(stage)], clone);
  rmSync(clone, { recursive: true });
}

const cacheOf = ({ folder }: Stage) => join(folder, "npm-cache");

/** @returns whether each step passed and nothing is left, and a line that describes the outcome */
export async function runMachine(machine: Machine, stage: Stage): Promise<{ passed: boolean; line: string }> {
  const folder = join(stage.folder, machine.name);
  try {
    const job = prepare(machine, stage, folder);
    const { steps, left } = await runJob(job, machine);
    const passed = STEPS.every((step) => steps[step]?.failure === "") && left.length === 0;
    const log = join(stage.logs, `${machine.name}.log`);
    copyFileSync(job.log, log);
    const parts = STEPS.flatMap((step) => {
      const ended = steps[step];
      if (ended === undefined) return [];
      const about = [...(ended.failure === "" ? [] : [ended.failure]), ...ended.about].join("; ");
      const state = ended.failure === "" ? "ok" : "FAILED";
      return [`${step} ${state} ${ended.seconds.toFixed(0)} s${about === "" ? "" : ` (${about})`}`];
    });
    const rest = left.length === 0 ? "nothing left" : `LEFT: ${left.join(", ")}`;
    return { passed, line: `${[...parts, rest].join(", ")}${passed ? "" : `. Log: ${log}`}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates the folder of a machine, and returns what its process needs to know. */
function prepare(machine: Machine, stage: Stage, folder: string): Job {
  const home = join(folder, machine.home.name);
  const clone = join(home, "formctl");
  const temporary = join(folder, "tmp");
  newFolder(folder, 0o755);
  newFolder(temporary, 0o1777);
  newFolder(home, machine.home.isPrivate ? 0o700 : 0o755);
  cloneCommit(stage, clone);
  // A hard link would share its owner with the original.
  if (machine.hasNodeModules) execute("cp", ["-a", "--reflink=auto", join(stage.source, "node_modules"), clone]);
  else writeFileSync(join(home, ".npmrc"), `cache=${cacheOf(stage)}\noffline=true\n`);
  const user = machine.user === "ordinary" ? ordinaryUser() : {};
  if (user.uid !== undefined) execute("chown", ["-R", `${user.uid}:${user.gid}`, home]);
  const isApart = hasNamespaces(machine);
  const environment = { PATH: pathOf(machine, stage, join(folder, "programs")), HOME: home, LANG: "C.UTF-8" };
  return {
    commands: machine.commands,
    line: isApart ? (machine.namespaces?.line ?? "true") : undefined,
    folder,
    clone,
    log: join(folder, "log.txt"),
    temporary: isApart ? ["/tmp", "/dev/shm"] : [temporary],
    user,
    // Without namespaces, other programs use /tmp too.
    environment: isApart ? environment : { ...environment, TMPDIR: temporary },
  };
}

/** Creates a folder with these rights, whatever the umask is. */
function newFolder(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

function cloneCommit({ source }: Stage, clone: string): void {
  execute("git", ["clone", "--quiet", "--no-hardlinks", source, clone]);
}

/** Returns PATH for a machine. @param folder where its programs are installed or linked */
function pathOf({ hidden, programs }: Machine, stage: Stage, folder: string): string {
  if (programs !== undefined) {
    execute("npm", ["install", "--global", "--prefix", folder, "--cache", cacheOf(stage), ...programs]);
    return [join(folder, "bin"), ...PATH].join(delimiter);
  }
  if (hidden === undefined) return PATH.join(delimiter);
  mkdirSync(folder);
  // The first folder of PATH with a program wins: it is the last one that sets the path of the program.
  const parents = PATH.filter((parent) => existsSync(parent)).toReversed();
  const paths = new Map(parents.flatMap((parent) => readdirSync(parent).map((name) => [name, join(parent, name)])));
  for (const [name, path] of paths) if (!hidden.test(name)) symlinkSync(path, join(folder, name));
  return folder;
}

/** Runs a program of this machine. @throws Error with its output if it fails */
function execute(program: string, words: readonly string[], cwd?: string): void {
  const env = { ...process.env, PATH: PATH.join(delimiter) };
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${program} ${words.join(" ")} failed:\n${stdout}${stderr}`);
}

/** Runs the commands in new namespaces if possible. The first process there, a shell, waits for orphans of all others. */
async function runJob(job: Job, machine: Machine): Promise<Outcome> {
  const command = [process.execPath, join(import.meta.dirname, "commands.ts"), JSON.stringify(job)];
  const [program = "", ...argv] =
    job.line === undefined ? command : inNamespaces(machine, "sh", "-c", '"$0" "$@"; exit $?', ...command);
  const child = spawn(program, argv, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (child.exitCode !== 0)
    throw new Error(`${machine.name} ended with ${child.exitCode ?? child.signalCode}: ${stderr}`);
  return JSON.parse(stdout) as Outcome;
}
