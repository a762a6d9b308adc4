/** Runs the leaking tests with the settings of the whole test run. canary.test.ts expects that this run fails. */

import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

export default defineConfig((environment) => {
  const { test, ...rest } = shared(environment);
  const { projects: _projects, ...settings } = test!;
  return { ...rest, test: { ...settings, include: ["test/leaks/leaks.ts"] } };
});
