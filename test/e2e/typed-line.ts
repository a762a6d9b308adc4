/**
 * Types command lines of documents and examples. In a sample (test/effort.ts), a line that needs no shell runs in this
 * process, because the start of the program takes longer than most commands. All other lines run in a shell, with
 * processes of the built program.
 */

import { writeFileSync } from "node:fs";
import { extendHost } from "../../src/base/host.ts";
import { run } from "../../src/main.ts";
import { systemHost } from "../../src/composition/system-host.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";
import { searchOutput } from "../canary.ts";
import type { Tier } from "../effort.ts";
import { shellWords } from "../shell-words.ts";
import { type Circumstances, environment, shell } from "./program.ts";

/** The folders and variables of a line. The tier decides whether the line may run in this process. */
export type Typist = Pick<Circumstances, "env"> & { home: string; cwd: string; tier: Tier };

/** `output` is stdout and stderr in their order. */
export type Answer<Code = number | null> = { code: Code; output: string };

/** The words after `formctl`, and the file that receives stdout. */
type Command = { words: readonly string[]; file?: string | undefined };

/** Types a line. If `&&` joins its commands, the first one that fails is the last one. */
export async function typeLine(line: string, { tier, ...where }: Typist): Promise<Answer> {
  const commands = line.split(" && ").map((text) => plainCommand(text));
  if (tier === "full" || !commands.every((command) => command !== undefined)) {
    const { code, stdout } = await shell(`exec 2>&1; ${line}`, where);
    return { code, output: stdout };
  }
  return inTurn(async () => {
    const answer: Answer = { code: 0, output: "" };
    for (const command of commands) {
      const { code, output } = await runHere(command, where);
      answer.code = code;
      answer.output += output;
      if (code !== 0) break;
    }
    return answer;
  });
}

/** Returns undefined if a shell must run the command. */
function plainCommand(text: string): Command | undefined {
  // A rehearsal starts the program.
  const [, rest, file] = /^formctl(?! rehearse )(?: (.*?))?(?: > (\S+))?$/.exec(text) ?? [];
  const words = rest === undefined ? undefined : shellWords(rest);
  return words && { words, file };
}

let last: Promise<unknown> = Promise.resolve();

/** Runs work after all earlier work, because this process has only one working directory. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work, work);
  last = result;
  return result;
}

/** Runs a command in this process, without a terminal. */
export async function runHere(
  { words, file }: Command,
  { home, cwd, env }: Omit<Typist, "tier">,
): Promise<Answer<number>> {
  const variables = environment(home, env);
  const text = { out: "", err: "", both: "" };
  const host = extendHost(systemHost(), {
    env: variables,
    terminal: (flags: { color?: boolean; quiet: boolean }) =>
      createTerminal({
        ...flags,
        env: variables,
        isTTY: () => false,
        columns: () => undefined,
        rows: () => undefined,
        now: () => new Date(),
        write(fd, more) {
          text[fd === 1 ? "out" : "err"] += more;
          text.both += more;
          return true;
        },
      }),
    keychain: async () => undefined,
  });
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await run(words, host);
    searchOutput(words.join(" "), { stdout: text.out, stderr: text.err });
    if (file !== undefined) writeFileSync(file, text.out);
    return { code, output: file === undefined ? text.both : text.err };
  } finally {
    process.chdir(before);
  }
}
