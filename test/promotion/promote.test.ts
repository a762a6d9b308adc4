/** `formctl promote` between two servers whose records all have other ids. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/schemas/operations.ts";
import { applyTo, manifestsFor, openPromotionScene, type PromotionScene, referencesOf, succeeded } from "./scene.ts";

const ENDS = ["--from", "staging", "--to", "production"];

async function expectEqual({ cli }: PromotionScene, count: number): Promise<void> {
  for (const [from, to] of [ENDS.toReversed(), ENDS].map((each) => each.filter((word) => !word.startsWith("--")))) {
    const outcome = await succeeded(cli.run("diff", "--from", from!, "--to", to!, "-o", "json"));
    expect(outcome.json()).toMatchObject({ summary: { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: count } });
  }
}

describe("formctl promote", () => {
  it("makes the target equal to the source, with the ids of the target", async () => {
    const scene = await openPromotionScene();
    const { cli, production } = scene;
    await applyTo(scene, scene.staging);
    const outcome = await cli.run("promote", ...ENDS, "--yes");
    console.log(outcome.stdout, outcome.stderr);
    expect(outcome.code).toBe(0);
    await expectEqual(scene, 3);
  });
});
