/** Asks the user to confirm a run or a reversal of migrations. */

import type { Need } from "../../manifests/plan/planned.ts";
import { requireNoNeeds } from "../../manifests/project/apply.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import { isTable } from "../output.ts";

export type Question = {
  print: (terminal: Pick<Terminal, "out" | "style" | "width">) => void;
  question: string;
  needs: readonly Need[];
};

/**
 * Asks the user to confirm the run or reversal, then each loss that requires a separate confirmation.
 *
 * @throws CONSENT_MISSING if the user declines, or can't be asked and a flag is missing
 */
export async function confirmMigrations(context: CommandContext, { print, question, needs }: Question): Promise<void> {
  const { terminal, prompter, settings } = context;
  if (prompter || (isTable(settings) && !terminal.quiet))
    print({ style: terminal.errStyle, width: terminal.errWidth, out: (text) => terminal.err(text) });
  if (!prompter) requireNoNeeds(needs);
  await context.consent({ question, lost: [], flag: "--yes" });
  for (const { consent, what, lost } of needs)
    await context.consent({ question: `${what.charAt(0).toUpperCase()}${what.slice(1)}?`, lost, flag: `--${consent}` });
}
