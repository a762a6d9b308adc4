/** Asks the user for missing arguments and options, and prints the command line that needs no questions. */

import type { Choice, Prompter } from "../terminal/prompter.ts";
import type { CommandContext } from "./command.ts";
import { completeValue, type Invocation } from "./invocation.ts";
import { type Missing, missingKeys, missingOf, type Parameter } from "./missing.ts";
import { promptValue, titleOf } from "./prompt-value.ts";
import { addAnswers, printSameLine } from "./same-line.ts";

/**
 * Asks for each missing value. Returns the input with the answers.
 *
 * @throws USAGE if a value must be chosen from a list, such as the roles of the target, and the list is empty
 * @throws Interrupted if the user presses Ctrl-C
 */
export async function askMissing(
  invocation: Invocation,
  { context, prompter }: { context: CommandContext; prompter: Prompter },
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = { ...invocation.input };
  const { command, flags } = invocation;
  const answers = { args: [] as string[], options: [] as string[] };
  const add = async (parameter: Parameter, word: string) => {
    const { member, kind } = parameter;
    const value = kind === "flag" || (await completeValue(parameter, parameter.parse(word), context));
    const isList = kind === "rest" || kind === "list";
    input[member] = isList ? [...((input[member] as unknown[] | undefined) ?? []), value] : value;
    if (kind === "argument" || kind === "rest") answers.args.push(word);
    else answers.options.push(...(kind === "flag" ? [parameter.word] : [parameter.word, word]));
  };
  for (;;) {
    const [missing] = missingOf({ command, input, flags });
    if (!missing) break;
    const parameter = await selectParameter(missing, prompter);
    await add(parameter, parameter.kind === "flag" ? "" : await promptValue(parameter, { context, input, prompter }));
  }
  for (const [parameter, key] of missingKeys({ command, input })) {
    const label = `${titleOf(parameter.word)} ${key}:`;
    await add(parameter, `${key}=${await prompter.input(label)}`);
  }
  addAnswers(context.sameLine, answers);
  printSameLine(context.sameLine, context.terminal);
  return input;
}

/** Returns the parameter to ask for. The user selects it if there are several parameters besides `--file`. */
async function selectParameter({ anyOf }: Missing, prompter: Prompter): Promise<Parameter> {
  const [only] = anyOf;
  const [direct, ...others] = anyOf.filter(({ word }) => word !== "--file");
  if (!direct) return only!;
  if (others.length === 0) return direct;
  const choices = anyOf.map(({ word, about }): Choice => ({ name: `${word}  ${about}`, value: word, short: word }));
  const word = await prompter.search("Specify:", choices);
  return anyOf.find((each) => each.word === word)!;
}
