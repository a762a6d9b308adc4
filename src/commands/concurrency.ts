/** The option that limits concurrent requests, which several commands share. */

import { SERVER_CONCURRENCY, STORE_CONCURRENCY } from "../manifests/project/target.ts";
import { option, wholeNumber } from "./command.ts";

export const concurrencyOption = option(
  "--concurrency <number>",
  `Maximum number of concurrent requests. Default: ${SERVER_CONCURRENCY}; for a local store ${STORE_CONCURRENCY}`,
  wholeNumber(1, 64),
);
