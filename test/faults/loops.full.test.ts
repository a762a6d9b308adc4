/** Checks that `npm run test:full` runs all attack loops. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { groups } from "./loops.ts";

it.each(Object.keys(groups))("the group %s has a test file", (group) => {
  expect(existsSync(join(import.meta.dirname, `${group}.full.test.ts`))).toBe(true);
});
