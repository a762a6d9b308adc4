/**
 * Checks that an apply leaves nothing to do:
 * - for any set of manifests
 * - after two edits of the set
 * - after an apply of any other set
 *
 * These tests call the engine in this process. `convergence-commands.test.ts` runs the commands, also on a server.
 */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEdits, anyFieldEdits, edited, following } from "../arbitraries/manifest-edits.ts";
import { anyFiling, filesOf, ONE_FILE } from "../arbitraries/manifest-files.ts";
import type { StagedPlan } from "../arbitraries/manifest-content.ts";
import { manifestsOf } from "../arbitraries/manifest-values.ts";
import { anyLayout, anyStagingState, anyState, type State, wholeState } from "../arbitraries/manifests.ts";
import { countOf, propertyRuns } from "../effort.ts";
import { type Engine, openEngine, type Planned, stepsOf } from "./converging-engine.ts";

async function withEngine(use: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openEngine();
  try {
    await use(engine);
  } finally {
    await engine.close();
  }
}

/** The minimum number of generated manifests. */
const MANIFESTS = countOf("converging manifests");

const NOTHING = { steps: [], writes: 0, violations: [] };

/** Returns the remaining steps, the number of writes that these steps perform, and the violations in the store. */
async function remains(engine: Engine, options?: Planned): Promise<object> {
  const planned = await engine.plan(options);
  const steps = stepsOf(planned);
  const before = engine.writes();
  await engine.carryOut(planned);
  return { steps, writes: engine.writes() - before, violations: await engine.local.check() };
}

const isChange = ({ action }: StagedPlan) => action !== "create";

/**
 * Applies `a`, then `b` with --prune.
 *
 * @returns what remains to be done
 */
async function leftFromTo(engine: Engine, a: State, b: State): Promise<object> {
  engine.write(filesOf(manifestsOf(a), ONE_FILE));
  await engine.apply();
  engine.write(filesOf(manifestsOf(b), ONE_FILE));
  await engine.apply({ prune: true });
  return remains(engine, { prune: true });
}

describe("applied manifests", () => {
  it(`leave nothing to do, also after one edit and after two (${MANIFESTS} manifests)`, async () => {
    let manifests = 0;
    await fc.assert(
      fc.asyncProperty(anyState(), anyEdits, anyEdits, anyFiling, async (state, some, more, filing) => {
        await withEngine(async (engine) => {
          const second = edited(state, some, "e");
          for (const each of [state, second, edited(second, more, "f")]) {
            const wanted = manifestsOf(each);
            manifests += wanted.length;
            engine.write(filesOf(wanted, filing));
            await engine.apply();
            expect(await remains(engine)).toEqual(NOTHING);
          }
        });
      }),
      { numRuns: propertyRuns(60) },
    );
    expect(manifests).toBeGreaterThanOrEqual(MANIFESTS);
  });

  const anyRun = (seesFields: boolean) =>
    fc.record({
      stamp: fc.boolean(),
      seesFields: fc.constant(seesFields),
      forgets: seesFields ? fc.boolean() : fc.constant(false),
      byHand: fc.boolean(),
    });
  it.each([
    ["with a lock, with stamps or without, though another user publishes", false],
    ["where fields are visible, also without a lock", true],
  ])("carry out every field change once: %s", async (_, seesFields) => {
    const anyRuns = fc.array(fc.record({ edits: anyFieldEdits, run: anyRun(seesFields) }), {
      minLength: 2,
      maxLength: 4,
    });
    const histories = countOf("histories of field changes");
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(anyStagingState(), anyRuns, async (state, runs) => {
        await withEngine(async (engine) => {
          let now = state;
          for (const [index, { edits, run }] of [{ edits: [], run: runs[0]!.run }, ...runs].entries()) {
            now = edited(now, edits, `e${index}`);
            engine.write(filesOf(manifestsOf(now), ONE_FILE));
            if (run.forgets) engine.forget();
            if (run.byHand) await engine.publishByHand();
            await engine.apply(run);
            expect(await engine.undone()).toEqual([]);
            if (run.forgets) engine.forget();
            expect(await remains(engine, run)).toEqual(NOTHING);
          }
          changes += now.forms.flatMap(({ content }) => content?.staged ?? []).filter(isChange).length;
        });
      }),
      { numRuns: histories },
    );
    expect(changes).toBeGreaterThan(histories / 6);
  });

  it("lead from any set to any other with --prune", async () => {
    await fc.assert(
      fc.asyncProperty(anyState("a"), anyState("b"), async (a, b) => {
        await withEngine(async (engine) => {
          expect(await leftFromTo(engine, a, following(a, b))).toEqual(NOTHING);
        });
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("move modes and the default between layouts of one page, in three edits", async () => {
    const onOnePage = anyLayout.map((layout) => ({ ...layout, page: 3, content: undefined }));
    const anyMoves = anyEdits.map((edits) => edits.filter(({ edit }) => edit === "layout" || edit === "renameLayout"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(onOnePage, { minLength: 2, maxLength: 4 }),
        fc.array(anyMoves, { minLength: 3, maxLength: 3 }),
        async (layouts, moves) => {
          await withEngine(async (engine) => {
            let state = wholeState({ forms: [], layouts });
            for (const edits of [[], ...moves]) {
              state = edited(state, edits);
              engine.write(filesOf(manifestsOf(state), ONE_FILE));
              await engine.apply();
              expect(await remains(engine)).toEqual(NOTHING);
            }
          });
        },
      ),
      { numRuns: propertyRuns(30) },
    );
  });

  it("remove a default from a layout before another layout gets the modes of that default", async () => {
    const layout = { page: 3, metadata: undefined, content: undefined, publish: undefined };
    const first = { ...layout, name: "First" };
    const isDefault = { organizationDefault: true, roles: [] };
    const isNone = { organizationDefault: false, roles: [] };
    const a: State = { forms: [], layouts: [{ ...first, supportedModes: ["EDIT"], assignments: isDefault }] };
    const b: State = {
      forms: [],
      layouts: [
        { ...layout, name: "Second", supportedModes: ["VIEW"], assignments: isDefault },
        { ...first, supportedModes: ["VIEW", "CREATE"], assignments: isNone },
      ],
    };
    await withEngine(async (engine) => {
      expect(await leftFromTo(engine, a, b)).toEqual(NOTHING);
    });
  });
});
