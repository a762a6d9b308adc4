/** The contract suite of the service. Every provider must pass all its cases. */

import { describe } from "vitest";
import { assignmentCases } from "./assignments.cases.ts";
import { currencyCases } from "./currencies.cases.ts";
import { draftCases } from "./drafts.cases.ts";
import { formCases } from "./forms.cases.ts";
import { layoutEditCases } from "./layout-edits.cases.ts";
import { layoutCases } from "./layouts.cases.ts";
import { localCases } from "./local.cases.ts";
import type { Provider } from "./provider.ts";
import { replayCases } from "./replays.cases.ts";
import { versionCases } from "./versions.cases.ts";

export function contract(provider: Provider): void {
  describe.each([provider])("$name", () => {
    formCases(provider);
    layoutCases(provider);
    draftCases(provider);
    versionCases(provider);
    layoutEditCases(provider);
    assignmentCases(provider);
    replayCases(provider);
    currencyCases(provider);
    localCases(provider);
  });
}
