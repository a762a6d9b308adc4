/** The option for the maximum number of concurrent requests. Several commands share it. */

import { SERVER_CONCURRENCY, STORE_CONCURRENCY } from "../state/target.ts";
import { option, wholeNumber } from "./command.ts";

export const concurrencyOption = option(
  "--concurrency <number>",
  `Maximum number of concurrent requests. Default: ${SERVER_CONCURRENCY}; for a local store ${STORE_CONCURRENCY}`,
  wholeNumber(1, 64),
);
