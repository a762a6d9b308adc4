/** The body of a contract case: its world is fresh, and what it leaves behind breaks no invariant. */

import { expect } from "vitest";
import type { ContractWorld, Provider } from "./provider.ts";

/** `make` adds to a world the short words that cases of one kind speak. */
export function inWorldOf<World>(make: (world: ContractWorld) => Promise<World>) {
  return (provider: Provider, test: (world: World) => Promise<void>) => async (): Promise<void> => {
    const world = await provider.open();
    try {
      await test(await make(world));
      expect(await world.local.check()).toEqual([]);
    } finally {
      await world.close();
    }
  };
}
