/** Prompts the user at the terminal. */

import { visible, visibleLines } from "./escape.ts";
import { Interrupted } from "./interrupted.ts";
import { messageLines } from "./message.ts";
import type { Terminal } from "./terminal.ts";
import { textWidth } from "./width.ts";

/** A choice of a prompt. `short` replaces the name after the choice is selected. */
export type Choice = { name: string; value: string; description?: string; short?: string };

/** Returns the choices that match the typed text. */
export type Source = (typed: string) => readonly Choice[] | Promise<readonly Choice[]>;

export type SearchOptions = {
  /**
   * Returns the problem of a typed text that is not a choice. Returns undefined to accept the text. Without this
   * function, such a text is refused.
   */
  other?: (typed: string) => string | undefined;
  /**
   * Whether the value is only the start of other values, for example a folder. Such a value is not accepted: the search
   * continues.
   */
  opens?: (value: string) => boolean;
};

export type InputOptions = {
  /** Returns the problem of an answer, or undefined to accept the answer. */
  validate?: (answer: string) => string | undefined;
  byDefault?: string;
};

export interface Prompter {
  confirm(message: string, byDefault: boolean): Promise<boolean>;
  /** @returns the `value` of the selected choice */
  select(message: string, choices: readonly Choice[]): Promise<string>;
  /** Selects one of many choices: typing narrows the list. @returns the `value` of the choice, or the typed text */
  search(message: string, choices: readonly Choice[] | Source, options?: SearchOptions): Promise<string>;
  /** @returns the `value` of each selected choice, in the order of `choices`; at least one */
  checkbox(message: string, choices: readonly Choice[]): Promise<string[]>;
  /** @returns the answer; `byDefault` for an empty answer */
  input(message: string, options?: InputOptions): Promise<string>;
  /** Masks the typed text. */
  password(message: string, options?: Pick<InputOptions, "validate">): Promise<string>;
}

/**
 * Whether the user can be prompted. Stdin and stderr must be terminals. There are no prompts in CI or with `noInput`.
 */
export function canPrompt(
  terminal: Pick<Terminal, "inIsTTY" | "errIsTTY">,
  options: { noInput?: boolean | undefined; env: Readonly<Record<string, string | undefined>> },
): boolean {
  return terminal.inIsTTY && terminal.errIsTTY && !options.env["CI"] && !options.noInput;
}

/**
 * Prompts on stderr, because stdout contains only the result of the command. Ctrl-C throws {@link Interrupted}.
 *
 * @param ending when aborted, ends the prompt. The prompt then throws the reason of the abort
 */
export function systemPrompter(ending?: AbortSignal): Prompter {
  const context = { output: process.stderr, ...(ending && { signal: ending }) };
  // Loaded with the first prompt: most commands have no prompts.
  const prompts = () => import("./inquirer.ts");
  return {
    async confirm(message, byDefault) {
      const { confirm } = await prompts();
      // Without the theme, the answer No would also get a green check mark.
      const theme = { prefix: { done: "?" } };
      return answered(confirm({ message: shownMessage(message), default: byDefault, theme }, context));
    },
    async select(message, choices) {
      const { select } = await prompts();
      return answered(select({ message: shownMessage(message, choices), choices: shown(choices) }, context));
    },
    async search(message, choices, options = {}) {
      const { search } = await prompts();
      const source = async (typed = "") => shown(await found(choices, typed, options));
      const validate = (value: string) => (options.opens?.(value) ? "Select one of these." : true);
      return answered(search({ message: shownMessage(message), source, validate, pageSize: SEARCH_LINES }, context));
    },
    async checkbox(message, choices) {
      const { checkbox } = await prompts();
      const config = { message: shownMessage(message), choices: shown(choices), required: true };
      return answered(checkbox(config, context));
    },
    async input(message, { validate, byDefault } = {}) {
      const { input } = await prompts();
      const config = { message: shownMessage(message), validate: check(validate) };
      return answered(input({ ...config, ...(byDefault !== undefined && { default: byDefault }) }, context));
    },
    async password(message, { validate } = {}) {
      const { password } = await prompts();
      return answered(password({ message: shownMessage(message), mask: true, validate: check(validate) }, context));
    },
  };
}

const SEARCH_LINES = 10;

/** Returns the choices for a typed text. If the text itself is accepted, the text is the last choice. */
async function found(
  choices: readonly Choice[] | Source,
  typed: string,
  { other }: SearchOptions,
): Promise<readonly Choice[]> {
  const matches = typeof choices === "function" ? await choices(typed) : matching(choices, typed);
  const isOther = typed !== "" && other?.(typed) === undefined && other !== undefined;
  return isOther && matches.every(({ value }) => value !== typed)
    ? [...matches, { name: typed, value: typed }]
    : matches;
}

/** Returns the choices that contain every typed word. Choices that start with the text come first. */
export function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const text = typed.trim().toLowerCase();
  if (text === "") return choices;
  const words = text.split(/\s+/);
  const isFirst = ({ name }: Choice) => name.toLowerCase().startsWith(text);
  const matches = choices.filter(({ name, description = "" }) => {
    const searched = `${name} ${description}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return [...matches.filter(isFirst), ...matches.filter((choice) => !isFirst(choice))];
}

/** Returns the check that the prompts expect. The check returns true for a valid answer, otherwise the problem. */
function check(validate: InputOptions["validate"]): (answer: string) => true | string {
  return (answer) => validate?.(answer) ?? true;
}

/** The columns of the mark before a message. */
const MARK_COLUMNS = 2;
/** The columns of the marks before a choice of a checkbox, which has the most. */
const CHOICE_COLUMNS = 3;
/** The columns of an answer such as `(y/N) yes`. */
const ANSWER_COLUMNS = 10;
const DEFAULT_COLUMNS = 80;

/** Breaks a message between words, because the prompts break inside words. Leaves columns for the answer. */
function shownMessage(message: string, choices: readonly Choice[] = []): string {
  const columns = process.stderr.columns || DEFAULT_COLUMNS;
  const widest = Math.max(ANSWER_COLUMNS, ...choices.map(({ name, short = name }) => textWidth(visible(short)) + 1));
  const width = columns - Math.min(widest, Math.floor(columns / 2));
  return visibleLines(message)
    .split("\n")
    .flatMap((line, at) => messageLines(line, width, at === 0 ? MARK_COLUMNS : 0))
    .join("\n");
}

function shown(choices: readonly Choice[]): Choice[] {
  const width = (process.stderr.columns || DEFAULT_COLUMNS) - CHOICE_COLUMNS;
  const text = (line: string) => messageLines(line, width).join("\n");
  return choices.map((choice) => {
    const { name, short = name, description } = choice;
    const shownName = { name: text(visible(name)), short: visible(short) };
    return { ...choice, ...shownName, ...(description !== undefined && { description: text(visible(description)) }) };
  });
}

async function answered<T>(prompt: Promise<T>): Promise<T> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted();
    // The cause is the reason of the abort.
    if (error instanceof Error && error.name === "AbortPromptError") throw error.cause;
    throw error;
  }
}

/** An answer, or an error that the prompt throws, such as {@link Interrupted} for Ctrl-C. */
export type ScriptedAnswer = string | boolean | readonly string[] | Error;

/**
 * Creates a prompter that takes the answers from a list, in order. For tests and for programs that embed the commands.
 * A prompt fails in these cases:
 *
 * - The list is empty.
 * - The answer is not one of the choices.
 * - `validate` refuses the answer.
 */
export function scriptedPrompter(answers: readonly ScriptedAnswer[]): Prompter & { readonly asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const next = (message: string): ScriptedAnswer => {
    asked.push(message);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`no answer left for: ${message}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const requireChoice = (answer: string, choices: readonly Choice[], message: string) => {
    if (choices.every(({ value }) => value !== answer)) throw new Error(`"${answer}" is not a choice of: ${message}`);
    return answer;
  };
  return {
    asked,
    async confirm(message) {
      return next(message) === true;
    },
    async select(message, choices) {
      // An empty answer is the first choice, as with Enter at a prompt.
      return requireChoice(String(next(message)) || choices[0]!.value, choices, message);
    },
    async search(message, choices, options = {}) {
      const answer = String(next(message));
      const offered = typeof choices === "function" ? await choices(answer) : choices;
      if (options.other && options.other(answer) === undefined) return answer;
      return requireChoice(answer, offered, message);
    },
    async checkbox(message, choices) {
      const answer = next(message);
      if (!Array.isArray(answer) || answer.length === 0) throw new Error(`a list of choices is required: ${message}`);
      return (answer as readonly string[]).map((each) => requireChoice(each, choices, message));
    },
    async input(message, { validate, byDefault = "" } = {}) {
      const answer = String(next(message)) || byDefault;
      const problem = validate?.(answer);
      if (problem) throw new Error(`${message} ${answer}: ${problem}`);
      return answer;
    },
    async password(message, { validate } = {}) {
      const answer = String(next(message));
      const problem = validate?.(answer);
      // The message omits the answer, which is a secret.
      if (problem) throw new Error(`${message} ${problem}`);
      return answer;
    },
  };
}
