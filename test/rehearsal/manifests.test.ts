/**
 * Rehearses plans of generated manifests with the library, on a local store and on a server. The apply must have the
 * foretold results, even if other users have changed the target.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openProject, type ProjectTarget, serverTarget, storeTarget } from "../../src/index.ts";
import { anyEdits, edited } from "../arbitraries/manifest-edits.ts";
import { filesOf, ONE_FILE, writeFiles } from "../arbitraries/manifest-files.ts";
import { manifestReferences } from "../arbitraries/manifest-pages.ts";
import { manifestsOf } from "../arbitraries/manifest-values.ts";
import { anyState, type State } from "../arbitraries/manifests.ts";
import { countOf } from "../effort.ts";
import { temporaryFolders } from "../temporary.ts";
import { differences, refusalsOf } from "./compare.ts";
import { openWorld, ORGANIZATION, type World } from "./random-world.ts";

const newFolder = temporaryFolders();

type Kind = "store" | "server";

function targetOf(kind: Kind, { local, client }: World, folder: string): ProjectTarget {
  const store = join(folder, "store.db");
  if (kind === "store") return storeTarget({ store, local, organization: ORGANIZATION });
  return serverTarget({ baseUrl: "http://127.0.0.1:1", service: client, references: manifestReferences });
}

/** Other users delete forms, remove modes of forms, change the default form, and save drafts. */
async function moveForms(world: World, choices: readonly number[]): Promise<void> {
  const { direct } = world;
  const { forms } = await world.view();
  for (const [index, { id: formId, object, types, layout }] of forms.entries()) {
    const choice = choices[index % choices.length]!;
    const calls = [
      async () => undefined,
      () => direct.deleteForm({ ...object, formId }),
      () => direct.updateForm({ ...object, formId, body: { types: types.slice(0, 1) } }),
      () => direct.updateFormDefaults({ ...object, body: { defaultViewFormId: formId, defaultEditFormId: formId } }),
      () => direct.saveDraft({ layoutId: layout.id, body: { clientMutationId: `moved ${index}`, ...EMPTY } }),
    ];
    await calls[choice]!().catch(() => undefined);
  }
}

const EMPTY = {
  schemaVersion: 1 as const,
  regions: [{ key: "main", layout: "grid" as const, columns: 12 }],
  blocks: [],
};

/**
 * Applies a state, and lets other users change the target. Then plans another state with a rehearsal, and applies the
 * plan.
 *
 * @returns the differences between the foretold and the actual results
 */
async function rehearsed(kind: Kind, state: State, next: State, moves: readonly number[]): Promise<string[]> {
  const folder = newFolder();
  const world = await openWorld(folder);
  try {
    const root = join(folder, "project");
    const write = (each: State) => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      writeFiles(root, filesOf(manifestsOf(each), ONE_FILE));
    };
    write(state);
    const host = { now: world.now, sleep: async () => undefined };
    const options = { root, manifests: ".", concurrency: 4, host };
    const project = openProject({ ...options, target: targetOf("store", world, folder) });
    await project.apply({ confirm: () => true });
    await moveForms(world, moves);
    write(next);
    const { plan, rehearsal } = await openProject({ ...options, target: targetOf(kind, world, folder) }).plan({
      rehearse: true,
      stamp: false,
    });
    const given = await refusalsOf(plan, world.client, world.now, 4);
    const vague = kind === "server" ? (["fields", "values", "layouts", "kinds", "grantees"] as const) : [];
    return differences(given, rehearsal!, vague);
  } finally {
    await world.close();
  }
}

it.each(["store", "server"] as const)("a plan foretells what happens when it is applied to a %s", async (kind) => {
  const runs = countOf("rehearsed manifests");
  let planned = 0;
  const anyMoves = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(anyState(), anyEdits, anyMoves, async (state, edits, moves) => {
      // Some edits contradict changes of other users. A name is then ambiguous, or a default is inactive, so there is
      // no plan.
      const found = await rehearsed(kind, state, edited(state, edits), moves).catch((error: unknown) => {
        const { code } = error as { code?: string };
        if (code === "AMBIGUOUS_NAME" || code === "MANIFESTS_INVALID" || code === "ASSIGNMENT_DEFAULT_TAKEN")
          return undefined;
        throw error;
      });
      if (found) planned++;
      expect(found ?? []).toEqual([]);
    }),
    { numRuns: runs },
  );
  expect(planned).toBeGreaterThan(runs / 2);
});
