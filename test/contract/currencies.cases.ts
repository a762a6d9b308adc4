/** The cases about currencies (R47, R100). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ContractWorld, Provider } from "./provider.ts";

export function currencyCases(provider: Provider): void {
  describe("currencies", () => {
    let world: ContractWorld;
    beforeEach(async () => {
      world = await provider.open();
    });
    afterEach(() => world.close());

    it("are listed with code and name, sorted by code", async () => {
      const service = await world.as("northwind");
      const currencies = await service.listCurrencies({});
      expect(currencies).toContainEqual({ code: "PLN", name: "Zloty" });
      expect(currencies.every((currency) => Object.keys(currency).sort().join() === "code,name")).toBe(true);
      const codes = currencies.map((currency) => currency.code);
      expect(codes).toEqual([...codes].sort());
    });

    it("require a token, but no permission", async () => {
      const nobody = await world.as("northwind", []);
      expect(await nobody.listCurrencies({})).not.toEqual([]);
    });

    it("are the same for every organization", async () => {
      const northwind = await world.as("northwind");
      const contoso = await world.as("contoso", ["api.view_layouts.read"]);
      expect(await contoso.listCurrencies({})).toEqual(await northwind.listCurrencies({}));
    });

    it("are not affected by a caller that modifies the response", async () => {
      const service = await world.as("northwind");
      const first = await service.listCurrencies({});
      first.length = 0;
      expect(await service.listCurrencies({})).not.toEqual([]);
    });
  });
}
