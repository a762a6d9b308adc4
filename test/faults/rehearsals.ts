/**
 * Rehearses random plans on copies of stores. Other users change these stores. Then applies the plans through the
 * handler of `serve`. The server must give exactly the foretold refusals.
 */

import { openServerCopy } from "../../src/composition/target-copy.ts";
import type { LocalService } from "../../src/local-service.ts";
import { readSubjects } from "../../src/state/read.ts";
import { withReader } from "../../src/state/reader.ts";
import type { Plan } from "../../src/plan/planned.ts";
import type { RehearsedEffect, Rehearsal, RehearsalRequest, UnknownKind } from "../../src/rehearsal/rehearsal.ts";
import type { Current } from "../../src/state/state.ts";
import { effectsBetween } from "../../src/rehearsal/effects.ts";
import { observe, type Observation } from "../../src/rehearsal/observe.ts";
import { rehearse } from "../../src/rehearsal/rehearse.ts";
import { differences, effectDifferences, type Given, isAsForetold, refusalsOf } from "../rehearsal/compare.ts";
import { type Random, randomPlan } from "../rehearsal/random-plan.ts";
import { openWorld, ORGANIZATION, type View, type World } from "../rehearsal/random-world.ts";
import { withoutRule } from "../rehearsal/without-rule.ts";
import { generator, inFolder, type Loop, type Result } from "./loop.ts";

/** The number of plans before a new store replaces the grown one. */
const PLANS_PER_WORLD = 20;

/** Changes a copy, for controls. */
export type Change = (copy: LocalService) => LocalService;

type Options = {
  change?: Change;
  /** Whether a violation ends the run. Default: no violation does. */
  isLast?: (violation: string) => boolean;
};

/** Rehearses random plans, each on its own copy. Compares the foretold refusals with the refusals of the server. */
export async function rehearsePlans(
  count: number,
  seed: number,
  { change = (copy) => copy, isLast = () => false }: Options = {},
): Promise<Result> {
  const violations: string[] = [];
  const facts: Record<string, number> = { plans: 0, refused: 0, "server copies": 0, "partial copies": 0 };
  for (let first = 0; first < count && !violations.some(isLast); first += PLANS_PER_WORLD) {
    const random = generator(1 + ((seed + first * 7919) % 2_147_483_645));
    await inFolder(async (folder) => {
      const world = await openWorld(folder);
      try {
        for (let index = first; index < Math.min(first + PLANS_PER_WORLD, count); index++) {
          const found = await rehearseOne(world, random, { change, facts });
          violations.push(...found.map((each) => `plan ${index}: ${each}`));
        }
      } finally {
        await world.close();
      }
    });
  }
  return { count, violations, facts };
}

type Harness = { change: Change; facts: Record<string, number> };

async function rehearseOne(world: World, random: Random, { change, facts }: Harness): Promise<string[]> {
  const add = (fact: string) => (facts[fact] = (facts[fact] ?? 0) + 1);
  const before = await world.view();
  await move(world, random, before);
  const isServer = random(3) === 0;
  // The copy of a server is made from the state that the plan was compared with. The copy of a local store can be newer
  // than the plan. So a plan for a local store may be outdated.
  const view = isServer || random(3) > 0 ? await world.view() : before;
  const plan = randomPlan(random, view, { isOutdated: !isServer });
  const rounds = !isServer && random(8) === 0 ? 2 : 1;
  const problems: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { rehearsal, vague } = isServer
      ? await rehearseForServer(world, plan, { hasFile: random(3) > 0, change })
      : { rehearsal: await rehearseForStore(world, plan, { change, onPart: () => add("partial copies") }), vague: [] };
    const { given, found } = await compareWithApply(world, plan, { rehearsal, vague, isServer, facts });
    add("plans");
    if (isServer) add("server copies");
    if (given.length > 0) add("refused");
    for (const { status, code } of given) add(`${status ?? ""} ${code}`.trim());
    problems.push(...found);
  }
  return problems;
}

type Rehearsed = Pick<Harness, "facts"> & {
  rehearsal: Rehearsal;
  /** The kinds of unknown facts that may explain an unexpected refusal. */
  vague: readonly UnknownKind[];
  isServer: boolean;
  /** Whether an effect is compared. Default: each is. */
  isCompared?: (effect: RehearsedEffect) => boolean;
};

/** Applies a rehearsed plan to the server. @returns the refusals, and the differences from what was foretold */
export async function compareWithApply(
  world: World,
  plan: Plan,
  { rehearsal, vague, isServer, isCompared = () => true, facts }: Rehearsed,
): Promise<{ given: Given[]; found: string[] }> {
  const former = await observeWorld(world, plan);
  const given = await refusalsOf(plan, world.client, world.now);
  const observed = effectsBetween(former, await observeWorld(world, plan), { plan, ...EVERYTHING_SEEN });
  const found = differences(given, rehearsal, vague);
  if (!isAsForetold(given, rehearsal)) return { given, found };
  facts["effects"] = (facts["effects"] ?? 0) + observed.length;
  const [seen, foretold] = [observed, rehearsal.effects].map((effects) => effects.filter(isCompared));
  return { given, found: [...found, ...effectDifferences(seen!, foretold!, !isServer)] };
}

const EVERYTHING_SEEN = { nameOf: () => undefined, unreadForm: () => undefined };

/** Reads what the store of the server shows, with the observation of a rehearsal. */
function observeWorld({ local, direct }: World, plan: Plan): Promise<Observation> {
  return observe({ copy: local, service: direct, organizationKey: ORGANIZATION, plan, concurrency: 1 });
}

/** Other users change the store: they apply plans, archive layouts and upload files. */
async function move(world: World, random: Random, view: View): Promise<void> {
  for (let runs = random(2); runs > 0; runs--)
    await refusalsOf(randomPlan(random, view, { isOutdated: true }), world.direct, world.now);
  const [layout] = view.layouts;
  if (layout && random(10) === 0) await world.direct.archiveLayout({ layoutId: layout.id }).catch(() => undefined);
  const form = view.forms[0];
  if (form && random(20) === 0) {
    const upload = { formId: form.id, fileName: "cv.pdf", bytes: new Uint8Array(3) };
    await world.local.addUpload(upload).catch(() => undefined);
  }
}

const NOTHING_READ: Current = {
  objects: new Map(),
  forms: new Map(),
  layouts: new Map(),
  organizationDefaults: [],
  otherLayouts: [],
  listsLayouts: true,
  ambiguousIds: new Set(),
};

function requestOf(world: World, plan: Plan): Omit<RehearsalRequest, "target"> {
  return {
    plan,
    current: NOTHING_READ,
    manifests: [],
    organization: undefined,
    nameOf: () => undefined,
    strict: false,
    concurrency: 1,
    now: world.now,
  };
}

/** A rehearsal uses only these members of a target. */
const target = (members: object) => members as RehearsalRequest["target"];

function rehearseForStore(
  world: World,
  plan: Plan,
  { change, onPart }: { change: Change; onPart: () => void },
): Promise<Rehearsal> {
  const copy: LocalService["copy"] = async (growth, part) => {
    if (part) onPart();
    return change(await world.local.copy(growth, part));
  };
  return rehearse({ ...requestOf(world, plan), target: target({ copy, organizationKey: ORGANIZATION }) }, noServerCopy);
}

async function noServerCopy(): Promise<never> {
  throw new Error("the copy of a store is its snapshot");
}

type ForServer = { hasFile: boolean; change: Change };

/** With the whole organization file, these facts alone can explain an unexpected refusal. */
export const WITH_FILE: readonly UnknownKind[] = ["layouts", "notRehearsed"];
export const WITHOUT_FILE: readonly UnknownKind[] = [
  "fields",
  "values",
  "layouts",
  "kinds",
  "grantees",
  "notRehearsed",
];

/** Rehearses a plan on a copy of what the server shows. @param hasFile whether there is an organization file */
export async function rehearseForServer(
  world: World,
  plan: Plan,
  { hasFile, change }: ForServer,
): Promise<{ rehearsal: Rehearsal; vague: readonly UnknownKind[] }> {
  const request = {
    ...requestOf(world, plan),
    current: await readFor(world, plan),
    organization: hasFile ? await world.organization() : undefined,
    target: target({ organizationKey: undefined }),
  };
  const rehearsal = await rehearse(request, async (seed) => change(await openServerCopy(seed, world.now)));
  return { rehearsal, vague: hasFile ? WITH_FILE : WITHOUT_FILE };
}

/**
 * Reads the current state for a plan through the server: the lists of forms, and the contents of the plan's resources.
 */
async function readFor(world: World, { resources }: Plan): Promise<Current> {
  // Several forms may have one name. No form has an address as its name, so that forms are found by their layout ids.
  const subjects = resources.map(({ subject, address }) =>
    subject.kind === "Form" ? { ...subject, name: address } : subject,
  );
  const ids = new Map(resources.flatMap(({ address, layoutId }) => (layoutId ? [[address, layoutId] as const] : [])));
  return withReader(world.client, { concurrency: 1 }, (reader) => readSubjects(reader, { subjects, known: ids }));
}

/** The codes of common refusals. In a long run, at least one plan must be refused with each code. */
const REQUIRED_CODES = [
  "400 VALIDATION_FAILED",
  "404 NOT_FOUND",
  "409 ASSIGNMENT_DEFAULT_TAKEN",
  "409 DRAFT_INVALID",
  "409 DRAFT_STALE",
  "409 FIELD_CHANGES_UNCONFIRMED",
  "409 FORM_IS_DEFAULT",
  "409 FORM_TYPE_IS_DEFAULT",
];

/** Runs random plans. A run of at least 500 plans must meet every common refusal. */
export async function rehearsalsOf(count: number, seed: number): Promise<Result> {
  const result = await rehearsePlans(count, seed);
  if (count >= 500) {
    const missing = REQUIRED_CODES.filter((code) => !result.facts[code]);
    result.violations.push(...missing.map((code) => `no plan was refused with ${code}`));
  }
  return result;
}

/** Runs random plans with changed copies until a violation matches. */
export function controlOf(change: Change, pattern: RegExp, seed: number): Promise<Result> {
  return rehearsePlans(MAX_CONTROL, seed, { change, isLast: (violation) => pattern.test(violation) });
}

/** The maximum number of plans of a control. */
const MAX_CONTROL = 1000;

export const rehearsals: Loop = {
  name: "rehearsals",
  full: 10_000,
  sample: 50,
  run: rehearsalsOf,
  control: (seed) => controlOf((copy) => withoutRule(copy, "DRAFT_INVALID"), /not foretold/, seed),
};
