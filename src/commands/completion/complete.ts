/** `formctl complete`: prints the candidates for the last word of a command line. The completion scripts run it. */

import { type Command, defineCommand } from "../command.ts";
import { GLOBAL_OPTIONS } from "../global-flags.ts";
import { type Invocation, longFlag } from "../invocation.ts";
import { type Group, tree } from "../tree.ts";
import { bashReplies, readBashLine } from "./bash-words.ts";
import { type Candidate, type Completion, completionLines, matching } from "./candidates.ts";
import { readTypedLine, type Slot, type TypedLine } from "./typed-line.ts";
import type { StoredRequest } from "./stored-values.ts";

export type CompleteOptions = {
  out: (text: string) => void;
  /** Runs an invocation, which prints its candidates. Its errors are not printed. */
  run: (invocation: Invocation) => Promise<unknown>;
};

/**
 * Prints the candidates. `argv` has one of these forms:
 * - `-- WORD…`: completes the last word.
 * - `--next -- WORD…`: completes the word after the last one.
 * - `bash LINE BREAKS`: completes the last word of LINE, the command line before the cursor. BREAKS is COMP_WORDBREAKS.
 */
export async function complete(argv: readonly string[], { out, run }: CompleteOptions): Promise<void> {
  const bash = argv[0] === "bash" ? readBashLine(argv[1] ?? "", argv[2] ?? "") : undefined;
  const line = await readTypedLine(bash?.words ?? wordsOf(argv));
  const { slot } = line;
  const print = ({ candidates, files }: Completion, start = "") => {
    const whole = candidates.map((each) => ({ ...each, value: start + each.value }));
    out(completionLines({ candidates: bash ? bashReplies(whole, bash) : whole, ...(files && { files }) }));
  };
  if (slot.kind !== "value") return print({ candidates: matching(namesOf(slot, line), wordOf(slot)) });
  const { taken, start, word } = slot;
  const { valuesOf } = await import("./values.ts");
  const values = valuesOf(taken, line, word);
  if (!values) print({ candidates: [] });
  else if ("candidates" in values) {
    const commands = taken.name === "TOPIC" ? commandsOf(tree) : [];
    print({ candidates: matching([...values.candidates, ...commands], word) }, start);
  } else if (!("stored" in values)) print({ candidates: [], files: true });
  else {
    const { stored, files } = values;
    const printFound = (found: readonly Candidate[]) => print({ candidates: matching(found, word), files }, start);
    await run(readStored(line, { stored, word }, printFound));
  }
}

function wordsOf(argv: readonly string[]): string[] {
  const words = argv.slice(argv.indexOf("--") + 1);
  return argv[0] === "--next" ? [...words, ""] : words;
}

const wordOf = (slot: Slot) => ("word" in slot ? slot.word : "");

function namesOf(slot: Slot, { path }: TypedLine): Candidate[] {
  if (slot.kind === "command") return commandsOf(slot.group);
  if (slot.kind !== "option") return [];
  const own = Object.values(slot.command?.options ?? {}).map(({ flags, about }): [string, string] => [flags, about]);
  const dryRun: [string, string][] =
    slot.command?.writes === true ? [["--dry-run", "Print the requests without sending them"]] : [];
  const version: [string, string][] = path.length === 0 ? [["--version", "Print the version"]] : [];
  const options = [...own, ...dryRun, ...GLOBAL_OPTIONS, ["--help", "Show help"] as const, ...version];
  return options.map(([flags, about]) => ({ value: longFlag(flags), about }));
}

function commandsOf(group: Group): Candidate[] {
  const names = Object.entries(group.commands).map(([value, { about }]) => ({ value, about }));
  return group === tree ? [...names, { value: "version", about: "Print the version" }] : names;
}

/** The time for a server to answer, in seconds. */
const TIMEOUT = "1";

/** Returns an invocation that reads records on the target of the typed line. */
function readStored(
  { command: typed, args, options }: TypedLine,
  request: Pick<StoredRequest, "stored" | "word">,
  print: (candidates: readonly Candidate[]) => void,
): Invocation {
  const command: Command = defineCommand({
    examples: [],
    args: {},
    options: {},
    run: async (context) =>
      (await import("./stored-values.ts")).storedValues(context, { ...request, command: typed, args }),
    view: (candidates) => print(candidates),
  });
  const store = options.get("--store");
  const profile = options.get("--profile");
  const organization = options.get("--organization");
  const flags: Invocation["flags"] = {
    output: "table",
    quiet: true,
    verbose: false,
    input: false,
    pager: false,
    raw: false,
    yes: false,
    timeout: TIMEOUT,
    local: options.has("--local") || store !== undefined,
    ...(store !== undefined && { store }),
    ...(profile !== undefined && { profile }),
    ...(organization !== undefined && { organization }),
  };
  return { command, path: ["complete"], argv: [], input: {}, flags, dryRun: false };
}
