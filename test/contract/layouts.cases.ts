/** The cases about the layout operations. */

import { describe } from "vitest";
import { changeCases } from "./layouts/change.ts";
import { createCases } from "./layouts/create.ts";
import { listCases } from "./layouts/list.ts";
import { permissionCases } from "./layouts/permissions.ts";
import { surfaceCases } from "./layouts/surfaces.ts";
import type { Provider } from "./provider.ts";

export function layoutCases(provider: Provider): void {
  describe("layouts", () => {
    surfaceCases(provider);
    createCases(provider);
    listCases(provider);
    changeCases(provider);
    permissionCases(provider);
  });
}
