/** The entry of the executable: prints the version and the start page itself, and runs every other command line. */

import type { OutputFormat } from "./commands/global-flags.ts";
import type { ProgramHost } from "./system-host.ts";

declare const FORMCTL_VERSION: string;
// Available because the bundle is CommonJS.
declare const __dirname: string;

/** Sets the exit code instead of exiting, so that all output is written first. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (printConstant(argv)) return;
  const { systemHost } = await import("./system-host.ts");
  process.exitCode = await run(argv, systemHost());
}

/**
 * Prints the version or the start page, which the build has prepared, without loading the program.
 *
 * @returns false if the program must be loaded: for every other command line, and if the text could not be written
 */
function printConstant(argv: readonly string[]): boolean {
  const fs = process.getBuiltinModule("node:fs");
  const [word = "--help", ...more] = argv;
  if (more.length > 0) return false;
  try {
    if (word === "--version" || word === "-V") fs.writeSync(1, `${FORMCTL_VERSION}\n`);
    else if (word === "--help" || word === "-h") {
      // The program shows long help in a pager. A pipe or file has no screen.
      if (fs.fstatSync(1).isCharacterDevice() && process.stdout.isTTY) return false;
      fs.writeSync(1, fs.readFileSync(`${__dirname}/help.txt`));
    } else return false;
    return true;
  } catch {
    return false;
  }
}

/** Runs a command line and returns its exit code. All output goes to the terminal of the host. */
export async function run(argv: readonly string[], host: ProgramHost): Promise<number> {
  let terminal = host.terminal({ quiet: false, pager: !argv.includes("--no-pager") });
  // The format of an error in the command line itself, before the output options are parsed.
  let format: string = argv.some((word) => /^(--json|(-o|--output=|-o=)?jsonl?)$/.test(word)) ? "json" : "table";
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
    const { color, quiet, pager } = invocation.flags;
    terminal = host.terminal({ ...(color !== undefined && { color }), quiet, pager });
    const { execute } = await import("./execute.ts");
    const onFormat = (known: OutputFormat) => void (format = known);
    return await execute(invocation, { host, terminal, version: FORMCTL_VERSION, onFormat });
  } catch (error) {
    const { describeFailure, sourcesOf } = await import("./exit.ts");
    const { printFailure } = await import("./commands/print-failure.ts");
    const failure = describeFailure(error);
    const json = format === "json" || format === "jsonl";
    printFailure(failure, { json, terminal, sources: sourcesOf(error) });
    return failure.exitCode;
  }
}
