/** Asks the user to confirm what an apply, a promotion, or a run or reversal of migrations would do. */

import { type Need, requireNoNeeds } from "../plan/planned.ts";
import { wrapped } from "../terminal/message.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandContext } from "./command.ts";
import { isTable } from "./output.ts";

export type Question = {
  /** Prints on stderr what the question is about. */
  print: (terminal: Pick<Terminal, "out" | "line" | "style" | "width" | "err" | "errStyle" | "errWidth">) => void;
  question: string;
  needs: readonly Need[];
};

/**
 * Asks the user to confirm the whole, then each loss that requires a separate confirmation.
 *
 * @throws CONSENT_MISSING if the user declines, or can't be asked and a flag is missing
 */
export async function confirmNeeds(context: CommandContext, { print, question, needs }: Question): Promise<void> {
  const { terminal, prompter, settings } = context;
  const { errStyle, errWidth } = terminal;
  const err = (text: string) => terminal.err(text);
  if (prompter || (isTable(settings) && !terminal.quiet))
    print({
      style: errStyle,
      width: errWidth,
      out: err,
      line: (text) => err(wrapped(text, errWidth)),
      errStyle,
      errWidth,
      err,
    });
  if (!prompter) requireNoNeeds(needs);
  await context.consent({ question, lost: [], flag: "--yes" });
  for (const need of needs) await confirmNeed(context, need);
}

/**
 * Asks the user to confirm a loss.
 *
 * @throws CONSENT_MISSING if the user declines, or can't be asked and the flag is missing
 */
export function confirmNeed(context: Pick<CommandContext, "consent">, { consent, what, lost }: Need): Promise<void> {
  const question = `${what.charAt(0).toUpperCase()}${what.slice(1)}?`;
  return context.consent({ question, lost, flag: `--${consent}` });
}
