/** Runs the tests that leak, as the whole run would: canary.test.ts expects that it fails. */

import { mergeConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

const config = mergeConfig(shared, {});
delete config.test!.projects;
config.test!.include = ["test/leaks/leaks.ts"];
export default config;
