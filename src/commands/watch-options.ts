/** The options `--watch` and `--interval` of lists. */

import { FormctlError } from "../base/error.ts";
import { type Command, flag, option, type Parse } from "./command.ts";

const parseInterval: Parse<number> = (text) => {
  const seconds = Number(text.replace(/s$/, ""));
  if (/^\d+(\.\d+)?s?$/.test(text) && seconds >= 0.5 && seconds <= 3600) return seconds;
  throw new FormctlError("USAGE", `must be a number of seconds from 0.5 to 3600, not "${text}"`);
};

export const watchOptions = {
  watch: flag("--watch", "Print the list again when it changes, until Ctrl-C; with -o jsonl, the changed records"),
  interval: option("--interval <seconds>", "With --watch: the time between two reads (default 2)", parseInterval),
};

/**
 * Returns the time between two reads, in seconds. Undefined without `--watch`.
 *
 * @throws USAGE for `--interval` without `--watch`
 */
export function watchInterval({ watches }: Command, input: Readonly<Record<string, unknown>>): number | undefined {
  if (!watches) return undefined;
  const { watch, interval } = input;
  if (watch === true) return typeof interval === "number" ? interval : 2;
  if (interval === undefined) return undefined;
  throw new FormctlError("USAGE", "--interval requires --watch", "Add --watch, or remove --interval.");
}
