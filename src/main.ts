/** The composition root: settings → store and service, terminal and prompter; then the command runs. */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { GlobalFlags, OutputFormat } from "./commands/global-flags.ts";
import type { Host } from "./commands/run-command.ts";
import type { LocalStoreFile } from "./commands/command.ts";
import type { LoadedSettings } from "./config/settings.ts";
import type { LocalService } from "./local-service.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { Prompter } from "./terminal/prompter.ts";

declare const FORMCTL_VERSION: string;

/** What a run touches of the world. Tests bring their own. */
export type World = {
  terminal(flags: { color?: boolean; quiet: boolean }): Terminal;
  /** Undefined where nobody can be asked. */
  prompter(terminal: Terminal, flags: { input: boolean }): Promise<Prompter | undefined>;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
};

/** Entry of the executable. The exit code is set, not forced, so that all output is written first. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    writeSync(1, `${FORMCTL_VERSION}\n`);
    return;
  }
  const [{ interruptible }, { systemTerminal }] = await Promise.all([
    import("./interrupts.ts"),
    import("./terminal/terminal.ts"),
  ]);
  const { env } = process;
  const world: World = {
    terminal: (flags) => systemTerminal({ ...flags, env }),
    async prompter(terminal, { input }) {
      if (!terminal.inIsTTY || !terminal.errIsTTY) return undefined;
      const { canPrompt, systemPrompter } = await import("./terminal/prompter.ts");
      return canPrompt(terminal, { noInput: !input, env }) ? systemPrompter() : undefined;
    },
    env,
    cwd: process.cwd(),
    readFile: async (path) => readFileSync(path === "-" ? 0 : path),
    now: () => new Date(),
  };
  process.exitCode = await interruptible(run(argv, world));
}

/** Runs one command line and returns its exit code; everything it says goes through the world's terminal. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  let terminal = world.terminal({ quiet: false });
  // Until the command line has been read, its words are the only sign of the format in which a failure is wanted.
  let format: OutputFormat = argv.some((word) => /^(--json|(-o|--output=|-o=)?json)$/.test(word)) ? "json" : "table";
  let target: Target | undefined;
  try {
    const { readCommandLine } = await import("./commands/program.ts");
    const invocation = await readCommandLine(argv, {
      version: FORMCTL_VERSION,
      width: terminal.width,
      out: (text) => terminal.out(text),
    });
    if (!invocation) return 0;
    const { flags } = invocation;
    terminal = world.terminal({ ...(flags.color !== undefined && { color: flags.color }), quiet: flags.quiet });
    format = flags.output ?? "table";
    const { loadSettings } = await import("./config/settings.ts");
    const settings = await loadSettings({ env: world.env, cwd: world.cwd, flags: settingFlags(flags) });
    const { outputFormat, runCommand } = await import("./commands/run-command.ts");
    format = outputFormat(flags, settings);
    target = openTarget(settings, world);
    return await runCommand(invocation, await createHost(flags, settings, terminal, target, world));
  } catch (error) {
    const { describeFailure, sourcesOf } = await import("./exit.ts");
    const { printFailure } = await import("./print-failure.ts");
    const failure = describeFailure(error);
    const json = format === "json" || format === "jsonl";
    await printFailure(failure, { json, terminal, sources: sourcesOf(error) });
    return failure.exitCode;
  } finally {
    await target?.close();
  }
}

function settingFlags({ store, organization, output }: GlobalFlags) {
  return {
    ...(store !== undefined && { store }),
    ...(organization !== undefined && { organization }),
    ...(output !== undefined && { output }),
  };
}

async function createHost(
  flags: GlobalFlags,
  settings: LoadedSettings,
  terminal: Terminal,
  target: Target,
  world: World,
): Promise<Host> {
  const organization = settings.get("organization");
  const place = `the local store ${target.file.location}`;
  return {
    terminal,
    prompter: await world.prompter(terminal, flags),
    openService: async () => (await target.local()).service(organization),
    openLocal: () => target.local(),
    localStore: target.file,
    settings,
    readFile: (path) => world.readFile(path),
    env: world.env,
    cwd: world.cwd,
    // The same folder seen from `src/` and from `dist/`.
    exampleFolder: fileURLToPath(new URL("../examples/northwind", import.meta.url)),
    now: () => world.now(),
    newMutationId: () => randomUUID(),
    target: organization === undefined ? place : `${place}, organization ${organization}`,
  };
}

/** Where this run goes: a local store, opened when it is first needed and closed at the end. */
type Target = { file: LocalStoreFile; local(): Promise<LocalService>; close(): Promise<void> };

function openTarget(settings: LoadedSettings, world: World): Target {
  const path = resolve(world.cwd, settings.get("store") ?? "");
  let opened: Promise<LocalService> | undefined;
  const open = async (): Promise<LocalService> => {
    const [{ openLocalService }, { openSqlite }, { lazyStore }, { randomId }, { uploadFiles }] = await Promise.all([
      import("./engine/local.ts"),
      import("./store/sqlite.ts"),
      import("./store/lazy-store.ts"),
      import("./engine/ids.ts"),
      import("./store/upload-files.ts"),
    ]);
    const store = lazyStore(() => openSqlite(path, { create: false }));
    return openLocalService({ store, now: () => world.now(), newId: randomId, files: uploadFiles(path) });
  };
  const close = async () => {
    await (await opened?.catch(() => undefined))?.close();
    opened = undefined;
  };
  return { file: localStoreFile(path, close), local: () => (opened ??= open()), close };
}

/** The file that a local store is in. It is closed before it is replaced. */
function localStoreFile(path: string, close: () => Promise<void>): LocalStoreFile {
  return {
    location: path,
    exists: () => existsSync(path),
    async create() {
      const { openSqlite } = await import("./store/sqlite.ts");
      const existed = existsSync(path);
      await openSqlite(path, { create: true }).close();
      return !existed;
    },
    async backup(into) {
      const { backupStore } = await import("./store/backup.ts");
      return backupStore(path, into);
    },
    async restore(from) {
      await close();
      const { restoreStore } = await import("./store/backup.ts");
      await restoreStore(from, path);
    },
    async reset() {
      await close();
      const { resetStore } = await import("./store/backup.ts");
      await resetStore(path);
    },
  };
}
