/**
 * Repeats the checks of `convergence.test.ts` with commands, on a store and on a server. Also checks that nothing
 * remains to be done after an export.
 */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEdits, type Edit, edited, following } from "../arbitraries/manifest-edits.ts";
import { anyFiling, filesOf, ONE_FILE } from "../arbitraries/manifest-files.ts";
import { OBJECTS } from "../arbitraries/manifest-pages.ts";
import { manifestsOf } from "../arbitraries/manifest-values.ts";
import { anyState } from "../arbitraries/manifests.ts";
import { countOf, propertyRuns } from "../effort.ts";
import { type ConvergingScene, inStore, overSocket, type Place } from "./converging-scene.ts";

/**
 * How much is tested on each place:
 * - `manifests`: the minimum number of generated manifests
 * - `states`: the number of edited sets
 * - `exported`: which sets are exported. The value 3 exports every third set
 * - `pairs`: the number of pairs of sets
 *
 * On a local store `convergence.test.ts` applies many more.
 */
const PLACES: { place: Place; manifests: number; states: number; exported: number; pairs: number }[] = [
  { place: inStore, manifests: propertyRuns(30), states: propertyRuns(15), exported: 3, pairs: propertyRuns(10) },
  {
    place: overSocket,
    manifests: countOf("converging manifests"),
    states: propertyRuns(80),
    exported: 7,
    pairs: propertyRuns(10),
  },
];

/** The options for stamps before an edit and after the edit. */
const anyStamping = fc.array(fc.constantFrom<string[]>([], ["--no-stamp"]), { minLength: 2, maxLength: 2 });

const EVERYTHING = [...OBJECTS, "--all-layouts"];

async function within(place: Place, use: (scene: ConvergingScene) => Promise<void>): Promise<void> {
  const scene = await place.open();
  try {
    await use(scene);
    await scene.check();
  } finally {
    await scene.close();
  }
}

/**
 * Whether the edit keeps a layout managed. An unmanaged layout may be invalid for modes that are added later. Then its
 * export is invalid too. Another test covers the message about such an export.
 */
const isSeen = ({ edit }: Edit) => edit !== "unmanaged";

/** @throws Error with the output of a command that failed */
async function typed({ cli }: ConvergingScene, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(...argv);
  if (code !== 0) throw new Error(`formctl ${argv.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Applies again. @returns the number of writes @throws Error if the plan has steps */
async function remains(scene: ConvergingScene, folder: string, ...flags: string[]): Promise<number> {
  await typed(scene, "plan", folder, "--detailed-exitcode", ...flags);
  const before = await scene.writes();
  await typed(scene, "apply", folder, "--yes", ...flags);
  return (await scene.writes()) - before;
}

describe.each(PLACES)("$manifests manifests $place.name", ({ place, manifests, states, exported: every, pairs }) => {
  it("leave nothing to do, before and after an edit, and after an export", async () => {
    let generated = 0;
    let sets = 0;
    await fc.assert(
      fc.asyncProperty(anyState(), anyEdits, anyFiling, anyStamping, async (state, edits, filing, stamping) => {
        await within(place, async (scene) => {
          for (const [index, each] of [state, edited(state, edits.filter(isSeen))].entries()) {
            const wanted = manifestsOf(each);
            generated += wanted.length;
            scene.write("forms", filesOf(wanted, filing));
            await typed(scene, "apply", "forms", "--yes", ...stamping[index]!);
            expect(await remains(scene, "forms", ...stamping[index]!)).toBe(0);
            if (++sets % every > 0) continue;

            const exported = `exported-${index}`;
            await typed(scene, "export", ...EVERYTHING, "--into", exported);
            const files = scene.read(exported);
            expect(await remains(scene, exported)).toBe(0);
            await typed(scene, "export", ...EVERYTHING, "--into", exported);
            expect(scene.read(exported)).toEqual(files);
            await typed(scene, "export", ...EVERYTHING, "--into", `${exported}-again`);
            expect(scene.read(`${exported}-again`)).toEqual(files);
          }
        });
      }),
      { numRuns: states },
    );
    expect(generated).toBeGreaterThanOrEqual(manifests);
  });

  it("lead from any set to any other with --prune and --allow-delete", async () => {
    await fc.assert(
      fc.asyncProperty(anyState("a"), anyState("b"), async (a, b) => {
        await within(place, async (scene) => {
          scene.write("forms", filesOf(manifestsOf(a), ONE_FILE));
          await typed(scene, "apply", "forms", "--yes");
          scene.write("forms", filesOf(manifestsOf(following(a, b)), ONE_FILE));
          const before = await scene.writes();
          const { code } = await scene.cli.run("apply", "forms", "--prune", "--yes");
          const isRefused = code === 8 && (await scene.writes()) === before;
          expect(isRefused || code === 0).toBe(true);
          await typed(scene, "apply", "forms", "--prune", "--yes", "--allow-delete");
          expect(await remains(scene, "forms", "--prune")).toBe(0);
        });
      }),
      { numRuns: pairs },
    );
  });
});
