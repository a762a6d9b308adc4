/** The options that several migrate commands share. */

import { flag, option, wholeNumber } from "../command.ts";

/** Options that accept migrations which do not match the record of the target. */
export const acceptances = {
  allowChanged: flag("--allow-changed", "Accept migrations that were edited after they ran"),
  allowMissing: flag("--allow-missing", "Accept that files of migrations that ran are missing"),
  allowOutOfOrder: flag("--allow-out-of-order", "Run migrations that come before one that ran"),
};

export const to = option("--to <name>", "The last migration to run. Default: all");

export const concurrency = option(
  "--concurrency <number>",
  "Maximum number of concurrent requests",
  wholeNumber(1, 64),
);
