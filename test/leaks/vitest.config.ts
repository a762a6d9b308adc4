/** Runs the leaking tests with the settings of the whole test run. canary.test.ts expects that this run fails. */

import { mergeConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

const config = mergeConfig(shared, {});
delete config.test!.projects;
config.test!.include = ["test/leaks/leaks.ts"];
export default config;
