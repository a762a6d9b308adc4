/** Runs the program in a test, with a separate home folder and a real store. Captures the output. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { MAX_NAMED_BYTES } from "../../src/base/file-limits.ts";
import { onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import { readWithin } from "../../src/disk/read-file.ts";
import { run } from "../../src/main.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import type { ProgramHost } from "../../src/composition/system-host.ts";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import type { FullService } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import type { EditorEnd } from "../../src/terminal/editor.ts";
import { type Prompter, type ScriptedAnswer, scriptedPrompter } from "../../src/terminal/prompter.ts";
import { type TestTerminal, testTerminal } from "../terminal/test-terminal.ts";
import { newCanary, searchOutput } from "../canary.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolder } from "../temporary.ts";

export type Outcome = {
  code: number;
  stdout: string;
  stderr: string;
  json: () => unknown;
  /** Parses stderr as a JSON document. Returns its `error`. */
  error: () => {
    code: string;
    message: string;
    hint?: string;
    exitCode: number;
    location?: unknown;
    done?: string[];
    api?: { status: number };
  };
};

export type Cli = {
  /** Runs a command line without a terminal. */
  run(...argv: string[]): Promise<Outcome>;
  /** Runs a command line. The prompts get these answers. */
  answering(answers: readonly ScriptedAnswer[], ...argv: string[]): Promise<Outcome & { asked: readonly string[] }>;
  /** The standard input, which `-f -` reads. */
  stdin: string;
  /** The width of the terminal. `undefined` means that stdout is not a terminal. */
  columns?: number;
  /** The lines of the screen. `undefined` means that they are unknown, so nothing is paged. */
  rows?: number;
  /** Whether stderr is a terminal. It then has the same width. */
  errIsTTY?: boolean;
  /** The number of writes to stdout before its reader closes the pipe. */
  closeAfter?: number;
  /** The error of every write to stdout. Without an error, writes succeed. */
  outFails?: Error;
  /** What all commands so far printed, also those that still run. */
  printed(): { stdout: string; stderr: string };
  /** Writes a file into the working directory. @returns its relative path */
  file(path: string, content: string | object): string;
  /** Uses the service directly, to prepare and to check a test. Closes the store afterwards. */
  behind<T>(use: (service: FullService, local: LocalService) => Promise<T>): Promise<T>;
  env: Record<string, string>;
  home: string;
  cwd: string;
  /** A test must advance this clock. */
  clock: { now: Date };
  /** Called instead of waiting. Returns immediately by default. */
  sleep: (milliseconds: number) => Promise<void>;
  /** The test aborts this controller to simulate Ctrl-C. */
  ending: AbortController;
  /** Changes a file like the editor of the user. By default, the editor can't be started. */
  edit: (path: string, command: string) => EditorEnd | Promise<EditorEnd>;
};

const STORE = "local.db";
const START = "2026-03-02T09:00:00.000Z";

/**
 * Opens a program with the contract's organizations in its store. The current organization is northwind. Everything is
 * removed when the test ends.
 */
export async function openCli(organizations: OrganizationFile | null = contractOrganizations): Promise<Cli> {
  const folder = temporaryFolder();
  const home = folder.path;
  const cwd = join(home, "work");
  mkdirSync(cwd);
  onTestFinished(() => folder.remove());
  const storePath = join(home, STORE);

  const terminals: TestTerminal[] = [];
  const cli: Cli = {
    home,
    cwd,
    env: { FORMCTL_HOME: home, FORMCTL_ORGANIZATION: "northwind" },
    stdin: "",
    clock: { now: new Date(START) },
    sleep: async () => undefined,
    ending: new AbortController(),
    edit() {
      throw Object.assign(new Error("spawn"), { code: "ENOENT" });
    },
    run: (...argv) => type(cli, terminals, argv, undefined),
    async answering(answers, ...argv) {
      const prompter = scriptedPrompter(answers);
      const outcome = await type(cli, terminals, argv, prompter);
      return Object.assign(outcome, { asked: prompter.asked });
    },
    printed: () => textsOf(terminals),
    file(path, content) {
      const absolute = resolve(cwd, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return path;
    },
    async behind(use) {
      const local = openLocal(cli, storePath);
      try {
        return await use(await local.service(cli.env["FORMCTL_ORGANIZATION"]), local);
      } finally {
        await local.close();
      }
    },
  };
  if (organizations) await seedOf(organizations)(storePath);
  return cli;
}

const seeds = new Map<OrganizationFile, (path: string) => Promise<void>>();

function seedOf(organizations: OrganizationFile): (path: string) => Promise<void> {
  const seed = seeds.get(organizations) ?? seededStore(organizations, { now: () => new Date(START), newId: randomId });
  seeds.set(organizations, seed);
  return seed;
}

/** Opens a local service whose tokens are canaries. */
export function openLocal({ clock }: Pick<Cli, "clock">, path: string): LocalService {
  const store = openSqlite(path, { create: false });
  const files = uploadFiles(path);
  return openLocalService({ store, now: () => clock.now, newId: randomId, newToken: () => newCanary(), files });
}

function textsOf(terminals: readonly TestTerminal[]): { stdout: string; stderr: string } {
  return {
    stdout: terminals.map((terminal) => terminal.stdout).join(""),
    stderr: terminals.map((terminal) => terminal.stderr).join(""),
  };
}

/** @param all gets the terminals of the command */
async function type(
  cli: Cli,
  all: TestTerminal[],
  argv: readonly string[],
  prompter: Prompter | undefined,
): Promise<Outcome> {
  const terminals: TestTerminal[] = [];
  const world: ProgramHost = {
    terminal({ color, quiet }) {
      const { columns, rows, errIsTTY = false, outFails, closeAfter } = cli;
      const screen =
        columns === undefined ? {} : { outIsTTY: true, errIsTTY, columns, ...(rows !== undefined && { rows }) };
      const terminal = testTerminal({
        ...(color !== undefined && { color }),
        quiet,
        env: cli.env,
        now: () => cli.clock.now,
        ...screen,
        ...(outFails && { outFails }),
        ...(closeAfter !== undefined && { closeAfter }),
      });
      terminals.push(terminal);
      all.push(terminal);
      return terminal;
    },
    prompter: async (_terminal, { input }) => (input ? prompter : undefined),
    env: cli.env,
    cwd: cli.cwd,
    readFile: async (path) =>
      path === "-" ? Buffer.from(cli.stdin) : readWithin(resolve(cli.cwd, path), MAX_NAMED_BYTES),
    now: () => cli.clock.now,
    sleep: (milliseconds) => cli.sleep(milliseconds),
    keychain: async () => undefined,
    processes: async () => systemProcesses(),
    library: () => import("../../src/index.ts"),
    ending: cli.ending.signal,
    runEditor: async (command, path) => cli.edit(path, command),
    finish: (work) => work(),
    onHangup: () => undefined,
  };
  const code = await run(argv, world);
  const { stdout, stderr } = textsOf(terminals);
  searchOutput(`formctl ${argv.join(" ")}`, { stdout, stderr });
  return {
    code,
    stdout,
    stderr,
    json: () => JSON.parse(stdout) as unknown,
    // On a busy machine, lines that show progress precede the error.
    error: () => (JSON.parse(stderr.slice(stderr.search(/^\{/m))) as { error: ReturnType<Outcome["error"]> }).error,
  };
}
