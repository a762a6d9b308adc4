/**
 * Prints the size of V8's space for new objects, before and after many objects survive. With `fix`, the size is fixed
 * first.
 */

import { fixYoungSpace, youngSpace } from "../../../src/v8-flags.ts";

if (process.argv[2] === "fix") fixYoungSpace(8 * 1024 * 1024);
const before = youngSpace();
for (let round = 0; round < 10; round++) Array.from({ length: 200_000 }, (_, index) => ({ index }));
process.stdout.write(JSON.stringify({ before, after: youngSpace() }));
