/**
 * Rehearses random promotions and transforms of migrations, and applies their plans through the handler of `serve`. The
 * server must give exactly the foretold refusals.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../src/base/error.ts";
import { openServerCopy } from "../../src/composition/target-copy.ts";
import type { Rehearse, RehearsedEffect } from "../../src/rehearsal/rehearsal.ts";
import { rehearse as rehearseOn } from "../../src/rehearsal/rehearse.ts";
import type { PlanResult } from "../../src/project/project.ts";
import type { Random } from "../rehearsal/random-plan.ts";
import {
  changeWorld,
  openPromotion,
  openTransform,
  outdate,
  sourceOrganization,
  targetOf,
} from "../rehearsal/random-sources.ts";
import { openWorld, type World } from "../rehearsal/random-world.ts";
import { generator, inFolder, type Loop, type Result } from "./loop.ts";
import { compareWithApply, WITH_FILE, WITHOUT_FILE } from "./rehearsals.ts";

/** The number of plans before new stores replace the grown ones. */
const PLANS_PER_WORLD = 10;

/**
 * The refusals that a long run must foretell, with what causes them. No earlier check of the plan finds them.
 */
export const REQUIRED_REFUSALS = {
  "promotion 400 VALIDATION_FAILED": "a role that the target does not have",
  "promotion 409 DRAFT_INVALID": "a field that the target does not have, or requires",
  "promotion 409 OBJECT_IS_SUBORDINATE": "a form of an object that can't have forms on the target",
  "transform 400 VALIDATION_FAILED": "a role that the target does not have",
  "transform 409 DRAFT_INVALID": "an unknown field, or a required field without a block",
  "transform 409 FIELD_CHANGES_UNCONFIRMED": "a field whose values would be lost",
} as const;

/** Foretells nothing: the rehearsal is switched off. */
export const switchedOff: Rehearse = async () => ({ refusals: [], effects: [], unknown: [] });

/** Changes how plans are rehearsed, for controls. */
type Change = (rehearse: Rehearse) => Rehearse;

/**
 * Rehearses random promotions and transforms. `facts` counts the refusals that were foretold and given, by source,
 * status and code. A run of at least 200 plans must foretell every required refusal.
 */
export async function rehearseSources(
  count: number,
  seed: number,
  change: Change = (rehearse) => rehearse,
): Promise<Result> {
  const violations: string[] = [];
  const facts: Record<string, number> = {};
  for (let first = 0; first < count; first += PLANS_PER_WORLD) {
    const random = generator(1 + ((seed + first * 7919) % 2_147_483_645));
    await inFolder(async (folder) => {
      const [world, source] = [
        await openWorld(within(folder, "to")),
        await openWorld(within(folder, "from"), sourceOrganization),
      ];
      try {
        for (const each of [world, source]) await changeWorld(each, random, 4);
        for (let index = first; index < Math.min(first + PLANS_PER_WORLD, count); index++) {
          const scene = { world, source, root: within(folder, `project-${index}`), change, facts };
          const found = await rehearseOne(scene, random);
          violations.push(...found.map((each) => `plan ${index}: ${each}`));
        }
      } finally {
        await world.close();
        await source.close();
      }
    });
  }
  const missing = count < 200 ? [] : Object.keys(REQUIRED_REFUSALS).filter((kind) => !facts[kind]);
  violations.push(...missing.map((kind) => `no refusal was foretold: ${kind}`));
  return { count, violations, facts };
}

function within(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

type Scene = {
  world: World;
  source: World;
  root: string;
  change: Change;
  facts: Record<string, number>;
};

/** The errors of plans that are refused before they are rehearsed. */
const NOT_PLANNED = ["AMBIGUOUS_NAME", "ASSIGNMENT_DEFAULT_TAKEN", "MANIFESTS_INVALID", "MIGRATION_INVALID"] as const;

async function rehearseOne({ world, source, root, change, facts }: Scene, random: Random): Promise<string[]> {
  const add = (fact: string) => (facts[fact] = (facts[fact] ?? 0) + 1);
  const isServer = random(2) === 0;
  const hasFile = isServer && random(3) > 0;
  // A store whose fields are checked before the rehearsal gets only refusals that no check finds.
  const isChecked = !isServer && random(3) === 0;
  const onCopy: Rehearse = async (request) => {
    // Another user changes the store after the plan was made. The copy of a server is made from what the plan has read.
    if (!isServer && random(3) > 0) await outdate(world, random);
    const organization = hasFile ? await world.organization() : undefined;
    return rehearseOn({ ...request, organization }, async (seed) => openServerCopy(seed, world.now));
  };
  const options = {
    random,
    root,
    target: targetOf(world, root, { isServer, isChecked }),
    rehearse: change(onCopy),
    now: world.now,
  };
  const kind = random(2) === 0 ? "promotion" : "transform";
  let planned: PlanResult;
  try {
    if (kind === "promotion") await changeWorld(source, random);
    const project =
      kind === "promotion" ? await openPromotion(source, options) : openTransform(await world.view(), options);
    planned = await project.plan({ rehearse: true });
  } catch (error) {
    if (!hasCode(error, ...NOT_PLANNED)) throw error;
    add(`${kind} not planned`);
    return [];
  }
  const rehearsal = planned.rehearsal!;
  const vague = !isServer ? [] : hasFile ? WITH_FILE : WITHOUT_FILE;
  // The copy of a server lacks the contents of forms of which the plan changes only other members. So the state of an
  // added mode is not foretold.
  const isCompared = ({ text }: RehearsedEffect) => !isServer || !text.includes("no such mode →");
  const compared = { rehearsal, vague, isServer, isCompared, facts };
  const { given, found } = await compareWithApply(world, planned.plan, compared);
  add(kind);
  for (const { address, step, status, code } of given) {
    const isForetold = rehearsal.refusals.some(
      (each) => each.address === address && each.step === step && each.code === code,
    );
    if (isForetold) add(`${kind} ${status ?? ""} ${code}`);
  }
  return found.map((each) => `${kind} to a ${isServer ? "server" : "store"}: ${each}`);
}

export const rehearsedSources: Loop = {
  name: "rehearsed promotions and transforms",
  full: 10_000,
  sample: 50,
  run: rehearseSources,
  control: (seed) => rehearseSources(50, seed, () => switchedOff),
};
