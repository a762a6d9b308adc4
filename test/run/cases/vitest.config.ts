/** Runs one file of this folder with the settings of the whole test run (../nested-run.ts). */

import { defineConfig } from "vitest/config";
import shared from "../../../vitest.config.ts";

export default defineConfig((environment) => {
  const { test, ...rest } = shared(environment);
  const { projects: _projects, ...settings } = test!;
  return { ...rest, test: { ...settings, include: ["test/run/cases/*.ts"] } };
});
