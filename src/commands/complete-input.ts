/** Completes the input of a command: defaults from the settings, full addresses, and answers to prompts. */

import type { CommandContext } from "./command.ts";
import { completeValue, type Invocation } from "./invocation.ts";
import { missingKeys, missingOf, parameterOf, withFallbacks } from "./missing.ts";

/**
 * Returns the complete input. Asks the user for missing arguments and options.
 *
 * @throws USAGE if a value is missing, and the user can't be asked
 * @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME if a short address can't be completed
 */
export async function completeInput(invocation: Invocation, context: CommandContext): Promise<Record<string, unknown>> {
  const { command } = invocation;
  const input = withFallbacks(command, invocation.input, context.settings);
  const typed = { ...invocation, input };
  for (const [member, definition] of Object.entries({ ...command.args, ...command.options })) {
    const value = input[member];
    if (definition.complete && value !== undefined)
      input[member] = await completeValue(parameterOf(command, member), value, context);
  }
  const missing = missingOf(typed);
  const { prompter } = context;
  if (missing.length > 0 && !prompter)
    throw await (await import("./missing-error.ts")).missingError(missing, command, { context, input });
  if (!prompter || (missing.length === 0 && missingKeys(typed).length === 0)) return input;
  return (await import("./ask-missing.ts")).askMissing(typed, { context, prompter });
}
