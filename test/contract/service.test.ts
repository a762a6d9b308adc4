/** The contract of the service, on everything that provides one. */

import { describe } from "vitest";
import { assignmentCases } from "./assignments.cases.ts";
import { currencyCases } from "./currencies.cases.ts";
import { draftCases } from "./drafts.cases.ts";
import { engineOnSqlite } from "./engine-provider.ts";
import { formCases } from "./forms.cases.ts";
import { httpInProcess, httpOverSocket } from "./http-providers.ts";
import { layoutCases } from "./layouts.cases.ts";
import { localCases } from "./local.cases.ts";
import { replayCases } from "./replays.cases.ts";
import { versionCases } from "./versions.cases.ts";

describe.each([engineOnSqlite, httpInProcess, httpOverSocket])("$name", (provider) => {
  formCases(provider);
  layoutCases(provider);
  draftCases(provider);
  versionCases(provider);
  assignmentCases(provider);
  replayCases(provider);
  currencyCases(provider);
  localCases(provider);
});
