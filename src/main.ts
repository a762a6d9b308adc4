/** The entry of the executable. Prints the version and the start page directly. Runs every other command line. */

import type { OutputFormat } from "./commands/global-flags.ts";
import type { CommandLine } from "./commands/target-options.ts";
import type { CommandReport } from "./composition/rehearsed-command.ts";
import type { ProgramHost } from "./composition/system-host.ts";

declare const FORMCTL_VERSION: string;
// Available because the bundle is CommonJS.
declare const __dirname: string;

/** Sets the exit code and does not exit, because an exit could cut off output. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (printConstant(argv)) return;
  const { enableOwnCompileCache } = await import("./config/compile-cache.ts");
  enableOwnCompileCache(FORMCTL_VERSION);
  const { systemHost } = await import("./composition/system-host.ts");
  process.exitCode = await run(argv, systemHost());
}

/**
 * Prints the version or the start page without loading the program. The build has prepared these texts.
 *
 * @returns false if the program must be loaded: for every other command line, or after a failed write
 */
function printConstant(argv: readonly string[]): boolean {
  const fs = process.getBuiltinModule("node:fs");
  const [word = "--help", ...more] = argv;
  if (more.length > 0) return false;
  try {
    // Alone, -v has no request to log: the user asks for the version.
    if (["--version", "-V", "-v", "version"].includes(word)) fs.writeSync(1, `${FORMCTL_VERSION}\n`);
    else if (word === "--help" || word === "-h") {
      const page = fs.readFileSync(`${__dirname}/help.txt`, "utf8");
      const { isTTY, columns, rows } = process.stdout;
      // On a small terminal, the page must be wrapped or needs a pager.
      if (isTTY && (columns < 80 || rows <= page.split("\n").length)) return false;
      fs.writeSync(1, page);
    } else return false;
    return true;
  } catch {
    return false;
  }
}

/** Runs a command line and returns its exit code. All output goes to the terminal of the host. */
export async function run(argv: readonly string[], host: ProgramHost): Promise<number> {
  if (argv[0] === "complete") return answerCompletion(argv.slice(1), host);
  if (!host.env["FORMCTL_REHEARSAL"]) return runLine(argv, host);
  const { reportCommand } = await import("./composition/rehearsed-command.ts");
  const report = reportCommand(argv, host);
  const exitCode = await runLine(argv, host, report);
  report?.ended(exitCode);
  return exitCode;
}

/** @param report receives the failure of a command in the rehearsal of a script */
async function runLine(argv: readonly string[], host: ProgramHost, report?: CommandReport): Promise<number> {
  let terminal = host.terminal({ quiet: false, pager: !argv.includes("--no-pager") });
  let line: CommandLine = { path: [], argv };
  let format: string = asksForJson(argv) ? "json" : "table";
  try {
    const { readCommandLine } = await import("./commands/program.ts");
    const { width } = terminal;
    let help = "";
    const out = (text: string) => void (help += text);
    const invocation = await readCommandLine(argv, { version: FORMCTL_VERSION, width, out });
    if (!invocation) {
      await terminal.page(help);
      return 0;
    }
    line = invocation;
    const { color, quiet, pager } = invocation.flags;
    terminal = host.terminal({ ...(color !== undefined && { color }), quiet, pager });
    const { execute } = await import("./composition/execute.ts");
    const onFormat = (known: OutputFormat) => void (format = known);
    const commandId = report && { commandId: report.id };
    return await execute(invocation, { host, terminal, version: FORMCTL_VERSION, onFormat, ...commandId });
  } catch (error) {
    const { describeFailureOf } = await import("./composition/command-failure.ts");
    const { sourcesOf } = await import("./composition/exit.ts");
    const { printFailure } = await import("./commands/print-failure.ts");
    const failure = describeFailureOf(line, error);
    const json = format === "json" || format === "jsonl";
    report?.failed(failure);
    printFailure(failure, { json, terminal, sources: sourcesOf(error) });
    return failure.exitCode;
  }
}

/** Whether an error in the command line itself is printed as JSON. The output options are not parsed yet. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      word === "--json" ||
      /^(-o|--output=|--format=)jsonl?$/.test(word) ||
      (/^(-o|--output|--format)$/.test(word) && /^jsonl?$/.test(words[index + 1] ?? "")),
  );
}

/** Prints the candidates for a completion script. A completion reports no errors. */
async function answerCompletion(words: readonly string[], host: ProgramHost): Promise<number> {
  try {
    const terminal = host.terminal({ quiet: true });
    const { complete } = await import("./commands/completion/complete.ts");
    await complete(words, {
      out: (text) => terminal.out(text),
      async run(invocation) {
        const { execute } = await import("./composition/execute.ts");
        const silent = Object.assign(Object.create(terminal) as typeof terminal, {
          err: () => undefined,
          warn: () => undefined,
        });
        return execute(invocation, { host, terminal: silent, version: FORMCTL_VERSION, onFormat: () => undefined });
      },
    });
  } catch {
    // The shell shows the command line unchanged.
  }
  return 0;
}
