/** The way in: the version at once, everything else through the program. */

import type { OutputFormat } from "./commands/global-flags.ts";
import type { World } from "./system-world.ts";

declare const FORMCTL_VERSION: string;
// The bundle is CommonJS.
declare const __dirname: string;

/** Entry of the executable. The exit code is set, not forced, so that all output is written first. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  if (printConstant(argv)) return;
  const { systemWorld } = await import("./system-world.ts");
  process.exitCode = await run(argv, systemWorld());
}

/**
 * The version and the first page of help are known when the program is built, and are printed without loading any of it.
 *
 * @returns false where something else was asked for, or the text could not be written in one go
 */
function printConstant(argv: readonly string[]): boolean {
  const fs = process.getBuiltinModule("node:fs");
  const [word = "--help", ...more] = argv;
  if (more.length > 0) return false;
  try {
    if (word === "--version" || word === "-V") fs.writeSync(1, `${FORMCTL_VERSION}\n`);
    else if (word === "--help" || word === "-h") fs.writeSync(1, fs.readFileSync(`${__dirname}/help.txt`));
    else return false;
    return true;
  } catch {
    return false;
  }
}

/** Runs one command line and returns its exit code; everything it says goes through the world's terminal. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  let terminal = world.terminal({ quiet: false });
  // Until the command line has been read, its words are the only sign of the format in which a failure is wanted.
  let format: string = argv.some((word) => /^(--json|(-o|--output=|-o=)?jsonl?)$/.test(word)) ? "json" : "table";
  try {
    const { readCommandLine } = await import("./commands/program.ts");
    const { width } = terminal;
    const out = (text: string) => terminal.out(text);
    const invocation = await readCommandLine(argv, { version: FORMCTL_VERSION, width, out });
    if (!invocation) return 0;
    const { color, quiet } = invocation.flags;
    terminal = world.terminal({ ...(color !== undefined && { color }), quiet });
    const { execute } = await import("./execute.ts");
    const onFormat = (known: OutputFormat) => void (format = known);
    return await execute(invocation, { world, terminal, version: FORMCTL_VERSION, onFormat });
  } catch (error) {
    const { describeFailure, sourcesOf } = await import("./exit.ts");
    const { printFailure } = await import("./commands/print-failure.ts");
    const failure = describeFailure(error);
    const json = format === "json" || format === "jsonl";
    printFailure(failure, { json, terminal, sources: sourcesOf(error) });
    return failure.exitCode;
  }
}
