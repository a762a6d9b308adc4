/** The definitions of the surfaces. */

import { REGION_LAYOUTS, SURFACES } from "../../../src/schemas/words.ts";
import { describe, expect, it } from "vitest";
import { invalidAt, refusal } from "../forms/world.ts";
import type { Provider } from "../provider.ts";
import { isFilteredHere, inWorld } from "./world.ts";

export function surfaceCases(provider: Provider): void {
  describe("surface definitions", () => {
    it(
      "give the default regions of each surface (R30, R35, R36, R89)",
      inWorld(provider, async ({ service }) => {
        const { definitionVersion, surfaces } = await service.getSurfaceDefinitions({});
        expect(definitionVersion).toBeGreaterThan(0);
        expect(surfaces.map((one) => one.surface)).toEqual(SURFACES);
        for (const { regions } of surfaces) {
          expect(regions.length).toBeGreaterThan(0);
          for (const region of regions) {
            expect(REGION_LAYOUTS).toContain(region.layout);
            expect(region).toEqual({
              key: expect.any(String) as string,
              label: expect.any(String) as string,
              layout: region.layout,
              columns: expect.any(Number) as number,
              displayOrder: regions.indexOf(region),
              config: {},
            });
          }
        }
      }),
    );

    it(
      "begin an object's page with a grid of 12 columns and a sidebar of 4 (R37)",
      inWorld(provider, async ({ service }) => {
        const { surfaces } = await service.getSurfaceDefinitions({ query: { surface: "DYNAMIC_OBJECT" } });
        expect(surfaces).toMatchObject([
          {
            surface: "DYNAMIC_OBJECT",
            supportedModes: ["CREATE", "VIEW", "EDIT"],
            regions: [
              { key: "main", layout: "grid", columns: 12 },
              { key: "sidebar", layout: "sidebar", columns: 4 },
            ],
            defaultSections: [],
          },
        ]);
      }),
    );

    it(
      "refuses an unknown surface and an unknown condition",
      inWorld(provider, async ({ service }) => {
        const read = (query: Record<string, string>) => service.getSurfaceDefinitions({ query });
        const invoices = async () => (await read({ surface: "INVOICE" })).surfaces;
        if (await isFilteredHere(provider, invoices)) return;
        expect(await refusal(read({ surface: "INVOICE" }))).toEqual(invalidAt("surface"));
        expect(await refusal(read({ page: "1" }))).toEqual(invalidAt("page"));
      }),
    );
  });
}
