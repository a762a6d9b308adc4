/** Kills restores in each scene. Each restore is killed before a different call that changes a file. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { countOf } from "../effort.ts";
import { temporaryFolders } from "../temporary.ts";
import { interrupt, MOST_CALLS, type Order, type Scene, SCENES, setStage, type Stage } from "./restores.ts";

const folder = temporaryFolders();
let stage: Stage;

beforeAll(async () => {
  const path = join(folder(), "stage");
  mkdirSync(path);
  stage = await setStage(path);
});

/**
 * Kills the first restore before its first call, the second before its second call, and so on. Ends when a restore
 * finishes.
 */
async function killEach(scene: Scene, order: Order): Promise<{ kills: number; violations: string[] }> {
  const violations: string[] = [];
  for (let call = 1; call <= MOST_CALLS; call++) {
    const { violations: found, isKilled } = await interrupt(stage, scene, order, String(call));
    violations.push(...found);
    if (!isKilled) return { kills: call - 1, violations };
  }
  throw new Error(`a restore makes more than ${MOST_CALLS} calls`);
}

describe("a restore that is killed before any of its calls", () => {
  it.each(SCENES.slice(0, countOf("scenes of killed restores")))(
    "leaves the old store or the new one: %s",
    async (scene) => {
      const { kills, violations } = await killEach(scene, "present");
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThan(4);
    },
  );

  it("would leave a mix if the main file went first: the control", async () => {
    expect((await killEach("removed", "main-first")).violations).not.toEqual([]);
  });
});
