/** From a command line to an exit code: reads it, runs the command, prints the answer or the failure. */

import { FormctlError } from "../error.ts";
import { targetText } from "../config/target.ts";
import type { LocalService } from "../local-service.ts";
import { extendHost, type Host } from "../host.ts";
import { isJsonObject } from "../schemas/json.ts";
import { NotConfirmed, type Service } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { jsonText, visible } from "../terminal/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandContext, CommandResources, Consent, Server } from "./command.ts";
import { withDone, withStoreWork } from "./after-write.ts";
import { quoted } from "./addresses.ts";
import type { GlobalFlags } from "./global-flags.ts";
import { printResult, readOutput } from "./output.ts";
import { attributeName, type Invocation } from "./invocation.ts";
import { DryRunEnd, noteDone, watchService, type Watch } from "./watched-service.ts";

/** What execute.ts wires for one invocation. */
export type CommandHost = Omit<Host, "keychain"> &
  CommandResources & {
    openService(): Promise<Service>;
    openLocal(): Promise<LocalService>;
  };

/** Runs an invocation and prints its answer. @returns the exit code @throws whatever the command throws */
export async function runCommand(invocation: Invocation, host: CommandHost): Promise<number> {
  const { command, input, flags, dryRun } = invocation;
  const { terminal } = host;
  const watch: Watch = {
    writes: [],
    done: [],
    failedReads: new WeakSet(),
    dryRun,
    tellsSteps: command.tellsSteps === true,
    // Of a server each attempt is told, by whoever makes it.
    log: flags.verbose && host.target.kind === "local" ? (line) => terminal.err(`${line}\n`) : undefined,
    now: () => host.now(),
  };
  const context = createContext(invocation, host, watch);
  const output = await readOutput(flags, host.settings);
  const isDone = command.writes !== undefined && !dryRun;
  let result: unknown;
  let unconfirmed: NotConfirmed | undefined;
  try {
    result = await command.run(context, input);
  } catch (error) {
    // Where a second step was to follow, it has not been done: that is no success.
    if (error instanceof NotConfirmed && input["publish"] !== true) unconfirmed = error;
    else if (!(error instanceof DryRunEnd)) throw await asTyped(withDone(error, watch), input, host);
  }
  try {
    if (unconfirmed) {
      await printResult(unconfirmedView, unconfirmed, { output, terminal, isDone });
      return 0;
    }
    if (dryRun && !command.foretells) {
      await printResult(dryRunView, watch.writes, { output, terminal, isDone });
      return 0;
    }
    await printResult(command, result, { output, terminal, isDone });
    if (watch.writes.length > 0) terminal.hint(`Written to ${targetText(host.target)}.`);
    if (output.format === "table")
      for (const line of command.next?.(result, input) ?? []) terminal.hint(`Next: ${inSamePlace(line, flags)}`);
  } catch (error) {
    throw command.writes === "store" ? withStoreWork(command, result, error) : withDone(error, watch);
  }
  await command.lasts?.(result);
  return command.exitCode?.(result) ?? 0;
}

/** A refusal with what the command was typed about; most commands are not refused, and load none of it. */
async function asTyped(error: unknown, input: Invocation["input"], host: CommandHost): Promise<unknown> {
  const { withSubject } = await import("./refused-command.ts");
  return withSubject(error, input, host);
}

/**
 * What is typed next goes where this command went: the flags that said so stand in it too, before its comment. Profiles are in
 * no place: what `profiles add` took is what the name stands for.
 */
function inSamePlace(line: string, { profile, local, store, organization, tokenFile }: GlobalFlags): string {
  if (line.startsWith("formctl profiles ")) return line;
  const places = {
    "--profile": profile,
    "--store": store,
    "--organization": organization,
    "--token-file": tokenFile,
  };
  const flags = Object.entries(places).flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${quoted(value)}`],
  );
  if (local && store === undefined) flags.unshift("--local");
  const [words = "", ...comment] = line.split(/(?=\s+#)/);
  return [[words, ...flags].join(" "), ...comment].join("");
}

/** A write that was accepted by a server that says no more. */
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

/** What `--dry-run` prints: the requests, in order. */
const dryRunView = {
  view(result: unknown, terminal: Terminal) {
    for (const { method, path, body } of result as Watch["writes"]) {
      terminal.out(`${method} ${visible(path)}\n`);
      if (body !== undefined) terminal.out(`${jsonText(body, 2)}\n`);
    }
    terminal.hint("Nothing was sent.");
  },
  document: (result: unknown) => ({ dryRun: true, requests: result }),
};

function createContext(invocation: Invocation, host: CommandHost, watch: Watch): CommandContext {
  let service: Promise<Service> | undefined;
  return extendHost(host, {
    service: () => (service ??= host.openService().then((opened) => watchService(opened, watch))),
    local: () => host.openLocal(),
    server: watchServer(host.server, watch),
    tokenFile: invocation.flags.tokenFile,
    consent: (consent: Consent) => askConsent(consent, invocation, host),
    readFile: (path: string) => readInput(path, host),
    dryRun: invocation.dryRun,
    organization: host.target.kind === "local" ? host.target.organization : undefined,
  });
}

/** A request as it was typed is noted like any other. */
function watchServer(server: Server, watch: Watch): Server {
  return {
    ...server,
    async raw(request) {
      if (request.method === "GET") return server.raw(request);
      watch.writes.push(request);
      if (watch.dryRun) throw new DryRunEnd("a dry run sends nothing");
      const answer = await server.raw(request);
      noteDone(watch, request, isJsonObject(answer.body) ? (answer.body["data"] ?? answer.body) : undefined);
      return answer;
    },
  };
}

/** Says first what will be lost, then asks, or looks for the flag where nobody can be asked. */
async function askConsent({ question, lost, flag }: Consent, invocation: Invocation, host: CommandHost): Promise<void> {
  const { terminal, prompter } = host;
  const tellLoss = () => {
    for (const line of lost) terminal.warn(`Permanently deleted: ${visible(line)}`);
  };
  if (invocation.dryRun) return tellLoss();
  // Each flag confirms what it is for, and nothing else.
  const isGiven = flag === "--yes" ? invocation.flags.yes : invocation.input[attributeName(flag)] === true;
  if (isGiven) return;
  if (!prompter) {
    const what = question.replace(/\?$/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
    const loss = lost.length === 0 ? "" : ` Permanently deleted: ${lost.join("; ")}.`;
    throw new FormctlError("CONSENT_MISSING", `confirmation required: ${what}.${loss}`, `To confirm, add ${flag}.`);
  }
  tellLoss();
  if (!(await prompter.confirm(question, false))) throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/** A file that was named on the command line. @throws INVALID_VALUE where it can't be read */
export async function readInput(path: string, host: Pick<Host, "readFile">): Promise<Uint8Array> {
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
    throw new FormctlError(
      "INVALID_VALUE",
      `can't read ${path || "a file without a name"}: ${reason}`,
      "Name a file, or - for standard input.",
    );
  }
}
