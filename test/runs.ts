/** How often randomized tests run. */

/** Whether this is `npm run test:full`, which repeats randomized tests more often, as before a release. */
const IS_FULL = process.env["FORMCTL_TEST_FULL"] === "1";

/** Returns a third of the full number of runs, or the full number in `npm run test:full`. */
export function runs(full: number): number {
  return IS_FULL ? full : Math.ceil(full / 3);
}
