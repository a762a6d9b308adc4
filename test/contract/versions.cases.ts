/** The cases about publishing, reading and restoring versions. */

import { describe } from "vitest";
import type { Provider } from "./provider.ts";
import { historyCases } from "./versions/history.ts";
import { publishCases } from "./versions/publish.ts";
import { stagedFieldCases } from "./versions/staged-fields.ts";

export function versionCases(provider: Provider): void {
  describe("versions", () => {
    publishCases(provider);
    stagedFieldCases(provider);
    historyCases(provider);
  });
}
