/** The command line that does the same without questions: the typed words, and the words of the answers. */

import { quoted } from "../base/shell-quote.ts";
import type { Prompter } from "../terminal/prompter.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { SameLine } from "./command.ts";
import { GLOBAL_OPTIONS } from "./global-flags.ts";
import { type Invocation, longFlag } from "./invocation.ts";

/** Adds the words of answers. Options that the line already contains, such as `--yes`, are not repeated. */
export function addAnswers(
  line: SameLine,
  { args = [], options = [] }: { args?: readonly string[]; options?: readonly string[] },
): void {
  const { words } = line;
  if (!words) return;
  // Words after `--` are arguments, so options are added before `--`.
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const [before, after] = [words.slice(0, end), words.slice(end)];
  const added = options.length === 1 && before.includes(options[0]!) ? [] : options;
  line.words = after.length === 0 ? [...before, ...args, ...added] : [...before, ...added, ...after, ...args];
  line.isChanged = true;
}

/**
 * Asks a question whose default answer is No. After Yes, the line contains the words that give this answer. After No or
 * Ctrl-C, or if the command does not have the option, no line does the same.
 */
export async function confirmWith(
  words: readonly string[],
  question: string,
  { prompter, line, command }: { prompter: Prompter; line: SameLine; command: Invocation["command"] },
): Promise<boolean> {
  const former = line.words;
  line.words = undefined;
  if (!(await prompter.confirm(question, false))) return false;
  const options = [
    ...Object.values(command.options).map(({ flags }) => flags),
    ...GLOBAL_OPTIONS.map(([flags]) => flags),
  ];
  if (!options.some((flags) => longFlag(flags) === words[0])) return true;
  line.words = former;
  addAnswers(line, { options: words });
  return true;
}

/** Prints the line, once after the last answer. */
export function printSameLine(line: SameLine, terminal: Terminal): void {
  if (!line.words || !line.isChanged) return;
  line.isChanged = false;
  terminal.hint(`Same as: ${["formctl", ...line.words].map((word) => quoted(word)).join(" ")}`);
}
