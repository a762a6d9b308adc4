/** What a command has done is told whatever becomes of what is kept of it in `.formctl`. */

import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";

/** @param fact what is told where `keep` fails, before its reason: "what was done is not kept in .formctl" */
export async function keepOrWarn(
  { describe, terminal }: Pick<CommandContext, "describe" | "terminal">,
  fact: string,
  keep: () => Promise<void>,
): Promise<void> {
  try {
    await keep();
  } catch (error) {
    const { message, hint } = await describe(error);
    terminal.warn(visible([`${fact}: ${message}`, ...(hint === undefined ? [] : [hint])].join(". ")));
  }
}
