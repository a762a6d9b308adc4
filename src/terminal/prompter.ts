/** Questions to the person at the terminal. */

import { visible, visibleLines } from "./escape.ts";
import { Interrupted } from "./interrupted.ts";
import type { Terminal } from "./terminal.ts";

export type Choice = { name: string; value: string; description?: string };

export interface Prompter {
  confirm(message: string, byDefault: boolean): Promise<boolean>;
  /** The `value` of the choice that was made. */
  select(message: string, choices: readonly Choice[]): Promise<string>;
  /** `validate` says what is wrong with an answer, or nothing. */
  input(message: string, options?: { validate?: (answer: string) => string | undefined }): Promise<string>;
  /** What is typed is not shown. */
  password(message: string): Promise<string>;
}

/** Whether there is anybody to ask: a person sees stderr and types into stdin, and this is no CI run. */
export function canPrompt(
  terminal: Pick<Terminal, "inIsTTY" | "errIsTTY">,
  options: { noInput?: boolean | undefined; env: Readonly<Record<string, string | undefined>> },
): boolean {
  return terminal.inIsTTY && terminal.errIsTTY && !options.env["CI"] && !options.noInput;
}

/** Asks on stderr, so that stdout keeps the answer alone. Ctrl-C throws {@link Interrupted}. */
export function systemPrompter(): Prompter {
  const context = { output: process.stderr };
  return {
    async confirm(message, byDefault) {
      const { confirm } = await prompts();
      return answered(confirm({ message: visibleLines(message), default: byDefault }, context));
    },
    async select(message, choices) {
      const { select } = await prompts();
      const shown = choices.map((choice) => ({ ...choice, name: visible(choice.name) }));
      return answered(select({ message: visibleLines(message), choices: shown }, context));
    },
    async input(message, { validate } = {}) {
      const { input } = await prompts();
      const check = (answer: string) => validate?.(answer) ?? true;
      return answered(input({ message: visibleLines(message), validate: check }, context));
    },
    async password(message) {
      const { password } = await prompts();
      return answered(password({ message: visibleLines(message), mask: true }, context));
    },
  };
}

/** Loaded with the first question: most runs ask none. */
function prompts() {
  return import("@inquirer/prompts");
}

async function answered<T>(prompt: Promise<T>): Promise<T> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted();
    throw error;
  }
}

/**
 * Answers questions from a list, in order, and fails where it has none left or a `validate` refuses one. For tests, and
 * for whoever embeds the commands.
 */
export function scriptedPrompter(answers: readonly (string | boolean)[]): Prompter & { readonly asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const next = (message: string): string | boolean => {
    asked.push(message);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${message}`);
    return answer;
  };
  return {
    asked,
    async confirm(message) {
      return next(message) === true;
    },
    async select(message, choices) {
      const answer = String(next(message));
      if (choices.every(({ value }) => value !== answer)) throw new Error(`${answer} is no choice of: ${message}`);
      return answer;
    },
    async input(message, { validate } = {}) {
      const answer = String(next(message));
      const problem = validate?.(answer);
      if (problem) throw new Error(`${message} ${answer}: ${problem}`);
      return answer;
    },
    async password(message) {
      return String(next(message));
    },
  };
}
