/** The contract of the service, on everything that provides one. */

import { describe } from "vitest";
import { currencyCases } from "./currencies.cases.ts";
import { engineOnSqlite } from "./engine-provider.ts";
import { localCases } from "./local.cases.ts";

describe.each([engineOnSqlite])("$name", (provider) => {
  currencyCases(provider);
  localCases(provider);
});
