/** The contract of the service, on everything that provides one. */

import { describe } from "vitest";
import { currencyCases } from "./currencies.cases.ts";
import { engineOnSqlite } from "./engine-provider.ts";
import { formCases } from "./forms.cases.ts";
import { layoutCases } from "./layouts.cases.ts";
import { localCases } from "./local.cases.ts";

describe.each([engineOnSqlite])("$name", (provider) => {
  formCases(provider);
  layoutCases(provider);
  currencyCases(provider);
  localCases(provider);
});
