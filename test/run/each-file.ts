/** Vitest's setup of each test file. */

import { afterAll } from "vitest";
import { endFile } from "../per-file.ts";

// The hook that is registered first runs last.
afterAll(endFile);
