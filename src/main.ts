/** The composition root: settings → store and service, terminal and prompter; then the command runs. */

import { writeSync } from "node:fs";
import type { GlobalFlags } from "./commands/global-flags.ts";
import type { Host } from "./commands/run-command.ts";
import type { LocalStoreFile } from "./commands/command.ts";
import type { LoadedSettings } from "./config/settings.ts";
import type { LocalService } from "./local-service.ts";
import type { Service } from "./service.ts";
import type { Store } from "./store/store.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { Prompter } from "./terminal/prompter.ts";

declare const FORMCTL_VERSION: string;

/** What a run touches of the world. Tests bring their own. */
export type World = {
  terminal(flags: { color?: boolean; quiet: boolean }): Terminal | Promise<Terminal>;
  /** Undefined where nobody can be asked. */
  prompter(terminal: Terminal, mayAsk: boolean): Promise<Prompter | undefined>;
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
  const { interruptible } = await import("./interrupts.ts");
  process.exitCode = await interruptible(run(argv, await systemWorld()));
}

/** Runs one command line and returns its exit code; everything it says goes through `world.terminal`. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const { readCommandLine } = await import("./commands/program.ts");
  let terminal = await world.terminal({ quiet: false });
  let format: string = argv.includes("--json") || argv.includes("json") ? "json" : "table";
  let opened: Opened | undefined;
  try {
    const invocation = await readCommandLine(argv, {
      version: FORMCTL_VERSION,
      width: terminal.width,
      out: (text) => terminal.out(text),
    });
    if (!invocation) return 0;
    const { flags } = invocation;
    terminal = await world.terminal({ ...(flags.color !== undefined && { color: flags.color }), quiet: flags.quiet });
    format = flags.output ?? "table";
    const { loadSettings } = await import("./config/settings.ts");
    const settings = await loadSettings({ env: world.env, cwd: world.cwd, flags: settingFlags(flags) });
    const { outputFormat, runCommand } = await import("./commands/run-command.ts");
    format = outputFormat(invocation, settings);
    // A failure must stay one document on stderr, so nothing else is said there in the machine formats.
    opened = openTarget(settings, world);
    return await runCommand(invocation, await createHost(flags, settings, terminal, opened, world));
  } catch (error) {
    const { describeFailure } = await import("./exit.ts");
    const { printFailure } = await import("./commands/print-failure.ts");
    const failure = describeFailure(error);
    await printFailure(failure, error, { json: format === "json" || format === "jsonl", terminal });
    return failure.exitCode;
  } finally {
    await opened?.close();
  }
}

function settingFlags({ store, organization, output }: GlobalFlags) {
  return {
    ...(store !== undefined && { store }),
    ...(organization !== undefined && { organization }),
    ...(output && { output }),
  };
}

async function createHost(
  flags: GlobalFlags,
  settings: LoadedSettings,
  terminal: Terminal,
  opened: Opened,
  world: World,
): Promise<Host> {
  const organization = settings.get("organization");
  return {
    terminal,
    prompter: await world.prompter(terminal, flags.input && !world.env["CI"]),
    openService: async () => (await opened.local()).service(organization),
    openLocal: () => opened.local(),
    localStore: opened.file,
    settings,
    readFile: (path) => world.readFile(path),
    env: world.env,
    cwd: world.cwd,
    now: () => world.now(),
    newMutationId: () => crypto.randomUUID(),
    target: () =>
      `the local store ${opened.file.location}${organization === undefined ? "" : `, organization ${organization}`}`,
  };
}

/** The store of this run: opened when it is first needed, closed at the end. */
type Opened = { file: LocalStoreFile; local(): Promise<LocalService>; close(): Promise<void> };

function openTarget(settings: LoadedSettings, world: World): Opened {
  const path = settings.get("store") ?? "";
  let local: Promise<LocalService> | undefined;
  const openLocal = async (): Promise<LocalService> => {
    const [{ openLocalService }, { openSqlite }, { lazyStore }, { randomId }, { uploadFolder }] = await Promise.all([
      import("./engine/local.ts"),
      import("./store/sqlite.ts"),
      import("./store/lazy-store.ts"),
      import("./engine/ids.ts"),
      import("./store/upload-files.ts"),
    ]);
    const store: Store = lazyStore(() => openSqlite(path, { create: false }));
    return openLocalService({ store, now: () => world.now(), newId: randomId, files: uploadFolder(path) });
  };
  const close = async () => {
    if (local) await (await local).close();
    local = undefined;
  };
  return {
    local: () => (local ??= openLocal()),
    close,
    file: localStoreFile(path, close),
  };
}
