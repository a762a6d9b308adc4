/** The maximum number of requests per second that the user permits. */

import { FormctlError } from "../base/error.ts";

/** With a lower rate, a timer could not measure the time until the start of a request. */
const LOWEST_RATE = 0.001;

/** Parses a number of requests per second, such as `10` or `0.5`. @throws SETTING_INVALID */
export function parseRequestRate(text: string): number {
  const rate = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
  if (rate >= LOWEST_RATE) return rate;
  throw new FormctlError(
    "SETTING_INVALID",
    `invalid number of requests per second "${text}": must be a number of at least ${LOWEST_RATE}, such as 10 or 0.5`,
  );
}
