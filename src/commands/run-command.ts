/** Runs a command: creates its context, handles confirmation and `--dry-run`, and prints the result. */

import { FormctlError } from "../base/error.ts";
import { targetText } from "../config/target.ts";
import type { LocalService } from "../local-service.ts";
import { reasonOf } from "../disk/file-errors.ts";
import { extendHost, type Host } from "../base/host.ts";
import { isJsonObject } from "../schemas/json.ts";
import { NotConfirmed, type Service } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { jsonText, visible } from "../terminal/escape.ts";
import { printPaged } from "../terminal/held-output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandContext, CommandResources, Consent, Server, SameLine } from "./command.ts";
import { completeInput } from "./complete-input.ts";
import { withDone, withStoreWork, withSubject } from "./failed-command.ts";
import { lossSentence, WILL_BE_DELETED } from "../base/losses.ts";
import { printResult, readOutput } from "./output.ts";
import { attributeName, type Invocation } from "./invocation.ts";
import { withSuggestions } from "./target-options.ts";
import { watchInterval } from "./watch-options.ts";
import { confirmWith, printSameLine } from "./same-line.ts";
import { DryRunEnd, recordDone, watchService, type Watch } from "./watched-service.ts";

/** The resources that execute.ts creates for one invocation. */
export type CommandHost = Omit<Host, "keychain"> &
  CommandResources & {
    /** @param options.survivesSignal whether requests are also sent after a signal has arrived */
    openService(options?: { survivesSignal?: boolean }): Promise<Service>;
    openLocal(): Promise<LocalService>;
  };

/** Runs an invocation and prints its result. @returns the exit code @throws the error of the command */
export async function runCommand(invocation: Invocation, host: CommandHost): Promise<number> {
  const { command, flags, dryRun, formerFlags = [] } = invocation;
  let { input } = invocation;
  const { terminal } = host;
  for (const { former, flag } of formerFlags) terminal.warn(`${former} has a new name: ${flag}. Use ${flag} instead.`);
  const watch: Watch = {
    unsent: [],
    written: 0,
    done: [],
    failedReads: new WeakSet(),
    dryRun,
    reportsSteps: command.reportsSteps === true,
    // If the target is a server, the client logs each attempt instead.
    log: flags.verbose && host.target.kind === "local" ? (line) => terminal.err(`${line}\n`) : undefined,
    now: () => host.now(),
  };
  const context = createContext(invocation, host, watch);
  const output = await readOutput(flags, host.settings);
  const isDone = command.writes !== undefined && !dryRun;
  const interval = watchInterval(command, input);
  let result: unknown;
  let unconfirmed: NotConfirmed | undefined;
  try {
    input = await completeInput(invocation, context);
    if (interval !== undefined) {
      const { watchList } = await import("./watch-list.ts");
      return await watchList({ command, input, output, interval }, context);
    }
    result = await command.run(context, input);
  } catch (error) {
    // With `--publish`, the unconfirmed write can be the save of the draft. The draft is not published in this case.
    // Therefore the command fails.
    if (error instanceof NotConfirmed && input["publish"] !== true) unconfirmed = error;
    else if (!(error instanceof DryRunEnd)) {
      const failed = await withSubject(withDone(error, watch), input, host);
      if (output.format === "table") command.viewFailure?.(await host.describe(failed), input, context);
      throw failed;
    }
  } finally {
    printSameLine(context.sameLine, terminal);
  }
  const print = (view: Parameters<typeof printResult>[0], value: unknown) => {
    const isRead = command.writes === undefined && !command.keepsRunning?.(input);
    const isOneLine = command.keepsRunning?.(input) ?? false;
    // The screen of a pager holds lines, so it needs the target options itself.
    const printTo = (screen: Terminal) =>
      printResult(view, value, { output, terminal: withSuggestions(screen, invocation), isDone, isOneLine });
    return isRead ? printPaged(terminal, printTo) : printTo(terminal);
  };
  try {
    if (unconfirmed) {
      await print(unconfirmedView, unconfirmed);
      return 0;
    }
    if (dryRun && !command.describesDryRun) {
      await print(dryRunView, watch.unsent);
      return 0;
    }
    await print(command, result);
    if (watch.written > 0) terminal.hint(`Written to ${targetText(host.target)}.`);
    if (output.format === "table")
      for (const line of command.next?.(result, input) ?? []) terminal.hint(`Next: ${line}`);
  } catch (error) {
    throw command.writes === "store" ? withStoreWork(command, result, error) : withDone(error, watch);
  }
  await command.afterPrint?.(result, terminal);
  return command.exitCode?.(result) ?? 0;
}

/** The output for an accepted write whose result the server did not confirm. */
const unconfirmedView = {
  view(error: unknown, terminal: Terminal) {
    const { message, hint } = error as NotConfirmed;
    terminal.warn(`${message[0]?.toUpperCase()}${message.slice(1)}. ${hint}`);
  },
  document(error: unknown) {
    const { said } = error as NotConfirmed;
    return { accepted: true, confirmed: false, ...(said !== undefined && { answer: said }) };
  },
};

const dryRunView = {
  view(result: unknown, terminal: Terminal) {
    for (const { method, path, body } of result as Watch["unsent"]) {
      terminal.out(`${method} ${visible(path)}\n`);
      if (body !== undefined) terminal.out(`${jsonText(body, 2)}\n`);
    }
    terminal.hint("Nothing was sent.");
  },
  document: (result: unknown) => ({ dryRun: true, requests: result }),
};

function createContext(invocation: Invocation, host: CommandHost, watch: Watch): CommandContext {
  let service: Promise<Service> | undefined;
  const sameLine: SameLine = { words: invocation.argv, isChanged: false };
  const confirm = async (question: string, words: readonly string[]) => {
    const { prompter } = host;
    if (!prompter) throw new Error("the user can't be asked");
    return confirmWith(words, question, { prompter, line: sameLine, command: invocation.command });
  };
  return extendHost(host, {
    service: () => (service ??= host.openService().then((opened) => watchService(opened, watch))),
    recordService: () => host.openService({ survivesSignal: true }),
    local: () => host.openLocal(),
    server: watchServer(host.server, watch),
    tokenFile: invocation.flags.tokenFile,
    consent: (consent: Consent) => askConsent(consent, { invocation, host, confirm }),
    confirm,
    sameLine,
    readFile: (path: string) => readNamedFile(path, host),
    dryRun: invocation.dryRun,
    yes: invocation.flags.yes,
    organization: host.target.kind === "local" ? host.target.organization : undefined,
  });
}

/** Records the writes of `formctl api`, like the writes of other commands. */
function watchServer(server: Server, watch: Watch): Server {
  return {
    ...server,
    async raw(request) {
      if (request.method === "GET") return server.raw(request);
      if (watch.dryRun) {
        watch.unsent.push(request);
        throw new DryRunEnd("a dry run sends nothing");
      }
      const answer = await server.raw(request);
      recordDone(watch, request, isJsonObject(answer.body) ? (answer.body["data"] ?? answer.body) : undefined);
      return answer;
    },
  };
}

/**
 * Prints the data that will be deleted, and asks the user to confirm. Does neither if the flag is given. A dry run
 * prints the data even with the flag, and never asks.
 *
 * @throws CONSENT_MISSING if the user declines or can't be prompted
 */
async function askConsent(
  { question, lost, flag }: Consent,
  { invocation, host, confirm }: { invocation: Invocation; host: CommandHost; confirm: CommandContext["confirm"] },
): Promise<void> {
  const { terminal, prompter } = host;
  const printLoss = () => {
    for (const line of lost) terminal.warn(`${WILL_BE_DELETED} ${visible(line)}`);
  };
  if (invocation.dryRun) return printLoss();
  // A flag confirms only questions that name this flag.
  const isGiven = flag === "--yes" ? invocation.flags.yes : invocation.input[attributeName(flag)] === true;
  if (isGiven) return;
  if (!prompter) {
    const what = question.replace(/\?$/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    throw new FormctlError(
      "CONSENT_MISSING",
      `confirmation required: ${what}.${lossSentence(lost)}`,
      `To confirm, add ${flag}.`,
    );
  }
  printLoss();
  if (!(await confirm(question, [flag]))) throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/** Reads a file that the command line names. @throws INVALID_VALUE if the file can't be read; FILE_UNFIT if it is too large */
export async function readNamedFile(path: string, host: Pick<Host, "readFile">): Promise<Uint8Array> {
  try {
    return await host.readFile(path);
  } catch (error) {
    if (error instanceof Interrupted || error instanceof FormctlError) throw error;
    throw new FormctlError(
      "INVALID_VALUE",
      `can't read ${path || "a file with an empty name"}: ${reasonOf(error)}`,
      "Specify a file, or - for standard input.",
    );
  }
}
