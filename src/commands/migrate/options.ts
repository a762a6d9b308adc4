/** The options that several migrate commands share. */

import { flag, option } from "../command.ts";

export const allowAnswers = flag("--allow-answers", "Use the answers of steps that another folder recorded");

/** Options for states in which a run stops, or leaves out layouts, by default, such as a draft of another user. */
export const acceptances = {
  allowReplace: flag("--allow-replace", "Overwrite drafts of other users; otherwise their layouts are left out"),
  allowAnswers,
  allowChanged: flag("--allow-changed", "Accept migrations that were edited after they ran"),
  allowMissing: flag("--allow-missing", "Accept that files of migrations that ran are missing"),
  allowOutOfOrder: flag("--allow-out-of-order", "Run migrations that come before one that ran"),
};

export const to = option("--to <name>", "The last migration to run. Default: all");

/** Returns the flags of the specified {@link acceptances}, for the command line that is suggested next. */
export function acceptanceFlags(input: { [K in keyof typeof acceptances]: boolean }): string[] {
  const keys = Object.keys(acceptances) as (keyof typeof acceptances)[];
  return keys.filter((key) => input[key]).map((key) => acceptances[key].flags);
}
