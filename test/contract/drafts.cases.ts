/** The cases about saving drafts. */

import { describe } from "vitest";
import { exampleCases } from "./drafts/examples.ts";
import { limitCases } from "./drafts/limits.ts";
import { saveCases } from "./drafts/save.ts";
import { stagedCases } from "./drafts/staged.ts";
import type { Provider } from "./provider.ts";

export function draftCases(provider: Provider): void {
  describe("drafts", () => {
    saveCases(provider);
    stagedCases(provider);
    limitCases(provider);
    exampleCases(provider);
  });
}
