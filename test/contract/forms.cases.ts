/** The cases about the form operations. */

import { describe } from "vitest";
import { accessCases } from "./forms/access.ts";
import { availabilityCases } from "./forms/availability.ts";
import { changeCases } from "./forms/change.ts";
import { createCases } from "./forms/create.ts";
import { defaultCases } from "./forms/defaults.ts";
import { listCases } from "./forms/list.ts";
import { permissionCases } from "./forms/permissions.ts";
import type { Provider } from "./provider.ts";

export function formCases(provider: Provider): void {
  describe("forms", () => {
    createCases(provider);
    listCases(provider);
    changeCases(provider);
    defaultCases(provider);
    accessCases(provider);
    availabilityCases(provider);
    permissionCases(provider);
  });
}
