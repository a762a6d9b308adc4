/** From a command line to an exit code: reads it, runs the command, prints the answer or the failure. */

import type { LoadedSettings } from "../config/settings.ts";
import type { LocalService } from "../local-service.ts";
import type { Service } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { visible } from "../terminal/escape.ts";
import type { Prompter } from "../terminal/prompter.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type CommandContext, type Consent, ConsentError, InvalidValue, type LocalStoreFile } from "./command.ts";
import { type GlobalFlags, parseOutput, type OutputFormat } from "./global-flags.ts";
import { printResult } from "./output.ts";
import type { Invocation } from "./invocation.ts";
import { DryRunEnd, watchService, type Watch } from "./watched-service.ts";

/** What main.ts wires for one invocation: the parts that touch the world. */
export type Host = {
  terminal: Terminal;
  prompter: Prompter | undefined;
  openService(): Promise<Service>;
  openLocal(): Promise<LocalService>;
  localStore: LocalStoreFile;
  settings: LoadedSettings;
  readFile(path: string): Promise<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  now(): Date;
  newMutationId(): string;
  /** Where writes go, in words: `the local store /…/local.db, organization northwind`. */
  target: string;
};

/** Runs an invocation and prints its answer. @returns the exit code @throws whatever the command throws */
export async function runCommand(invocation: Invocation, host: Host): Promise<number> {
  const { command, input, flags, dryRun } = invocation;
  const { terminal } = host;
  const watch: Watch = {
    writes: [],
    dryRun,
    log: flags.verbose ? (line) => terminal.err(`${line}\n`) : undefined,
    now: () => host.now(),
  };
  const context = createContext(invocation, host, watch);
  const format = outputFormat(flags, host.settings);
  let result: unknown;
  try {
    result = await command.run(context, input);
  } catch (error) {
    if (!(error instanceof DryRunEnd)) {
      const { withSubject } = await import("./refused-command.ts");
      throw withSubject(error, input);
    }
  }
  if (dryRun) {
    await printResult(dryRunView, watch.writes, { format, query: flags.query, terminal });
    return 0;
  }
  await printResult(command, result, { format, query: flags.query, terminal });
  if (watch.writes.length > 0) terminal.hint(`Written to ${host.target}.`);
  if (format === "table") for (const line of command.next?.(result, input) ?? []) terminal.hint(`Next: ${line}`);
  return command.exitCode?.(result) ?? 0;
}

/** The format that was asked for, or that the settings name. */
export function outputFormat(flags: GlobalFlags, settings: LoadedSettings): OutputFormat {
  const configured = settings.get("output");
  return flags.output ?? (configured === undefined ? "table" : parseOutput(configured));
}

/** What `--dry-run` prints: the requests, in order. */
const dryRunView = {
  view(result: unknown, terminal: Terminal) {
    for (const { method, path, body } of result as Watch["writes"]) {
      terminal.out(`${method} ${path}\n`);
      if (body !== undefined) terminal.out(`${JSON.stringify(body, null, 2)}\n`);
    }
    terminal.hint("Nothing was sent.");
  },
  document: (result: unknown) => ({ dryRun: true, requests: result }),
};

function createContext(invocation: Invocation, host: Host, watch: Watch): CommandContext {
  let service: Promise<Service> | undefined;
  return {
    service: () => (service ??= host.openService().then((opened) => watchService(opened, watch))),
    local: () => host.openLocal(),
    localStore: host.localStore,
    terminal: host.terminal,
    prompter: host.prompter,
    consent: (consent) => askConsent(consent, invocation, host),
    readFile: (path) => readInput(path, host),
    settings: host.settings,
    env: host.env,
    cwd: host.cwd,
    now: () => host.now(),
    newMutationId: () => host.newMutationId(),
    dryRun: invocation.dryRun,
    organization: invocation.flags.organization ?? host.settings.get("organization"),
  };
}

/** Says first what will be lost, then asks, or looks for the flag where nobody can be asked. */
async function askConsent({ question, lost, flags }: Consent, invocation: Invocation, host: Host): Promise<void> {
  const { terminal, prompter } = host;
  const tellLoss = () => {
    for (const line of lost) terminal.warn(`Lost for good: ${visible(line)}`);
  };
  if (invocation.dryRun) return tellLoss();
  const given = flags.some((flag) =>
    flag === "--yes" ? invocation.flags.yes : invocation.input["allowDelete"] === true,
  );
  if (given) return;
  if (!prompter) {
    const loss = lost.length === 0 ? "" : ` Lost for good: ${lost.join("; ")}.`;
    throw new ConsentError(
      `${question.replace(/\?$/, "")}: this needs your consent.${loss}`,
      `Say so with ${flags[0]}.`,
    );
  }
  tellLoss();
  if (!(await prompter.confirm(question, false))) throw new ConsentError("not done: you said no");
}

async function readInput(path: string, host: Host): Promise<Uint8Array> {
  try {
    return await host.readFile(path);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT"
        ? "there is no such file"
        : code === "EISDIR"
          ? "it is a folder"
          : code === "EACCES"
            ? "it may not be read"
            : message;
    throw new InvalidValue(
      `can't read ${path || "a file without a name"}: ${reason}`,
      "Name a file, or - for standard input.",
    );
  }
}
