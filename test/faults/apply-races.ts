/**
 * Races on one database:
 * - two concurrent runs of `apply`, from one folder or from two
 * - a run of `apply` while a user edits the same layout
 *
 * Content that a run reports as applied must not be lost. Content that the user saves must not be lost. If a form is
 * created twice, a run must report that.
 */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hasCode } from "../../src/base/error.ts";
import type { LocalService } from "../../src/local-service.ts";
import { type ApplyResult, openProject, storeTarget } from "../../src/composition/library.ts";
import type { FullService } from "../../src/service.ts";
import { EngineTarget } from "../model-checks/engine-target.ts";
import { type Place, sqlite } from "../model-checks/databases.ts";
import { withPostgres } from "../model-checks/postgres-databases.ts";
import { generator, inFolder, type Loop, type Result } from "./loop.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
/** The maximum delay of the second run, in milliseconds. For an edit, the maximum is twice as long. */
const LATER = 40;
/** The number of races that share a database. */
const SHARED = 20;

type Random = (limit: number) => number;
/** Replaces operations of the service, for the control. */
type Sabotage = (service: FullService) => Partial<FullService>;

type World = {
  /** The folder of a project, and a copy for a second machine. */
  folders: readonly [string, string];
  locals: readonly [LocalService, LocalService];
  organization: string;
  sabotage: Sabotage;
};

type Outcome = { result: ApplyResult } | { refusal: string };

/** Returns blocks with a label that identifies the content. */
const blocks = (label: string) => [
  {
    id: "b_1",
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: "full_name" },
    regionKey: "main",
    displayOrder: 0,
    requiredPolicy: "required",
    config: { label },
  },
];
const regions = [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }];

function write(folder: string, name: string, label: string): void {
  const layout = { schemaVersion: 1, regions, blocks: blocks(label) };
  const manifest = { kind: "Form", object: "staffing/candidate", name, types: ["VIEW", "EDIT"], layout };
  mkdirSync(join(folder, "manifests"), { recursive: true });
  // JSON is YAML.
  writeFileSync(join(folder, "manifests", `${name.toLowerCase()}.yaml`), JSON.stringify(manifest));
}

async function apply({ locals, organization, sabotage }: World, folder: string, index: 0 | 1): Promise<Outcome> {
  const local = locals[index];
  const service = async () => {
    const honest = await local.service(organization);
    return { ...honest, ...sabotage(honest) };
  };
  const target = storeTarget({ store: "/races/store.db", local, organization, service });
  try {
    return { result: await openProject({ root: folder, manifests: "manifests", target }).apply() };
  } catch (error) {
    const known = (["RUN_IN_PROGRESS", "CONSENT_MISSING", "AMBIGUOUS_NAME"] as const).find((code) =>
      hasCode(error, code),
    );
    if (known === undefined) throw error;
    return { refusal: known };
  }
}

const isApplied = (outcome: Outcome) =>
  "result" in outcome && ["applied", "unchanged"].includes(outcome.result.outcome);

/** Runs a race. `met` describes its outcome. The facts of the loop count each outcome. */
type Race = (world: World, random: Random) => Promise<{ violations: string[]; met: string }>;

/** Returns the forms, and the labels of all versions of the layout "Intake". */
async function pictureOf({ locals, organization }: World) {
  const service = await locals[0].service(organization);
  const { data } = await service.listForms({ ...OBJECT, query: { limit: 100 } });
  const intake = data.find(({ name }) => name === "Intake")!;
  const versions = await service.listVersions({ layoutId: intake.viewLayoutId });
  const labelled = versions.map((version) => ({ status: version.status, label: version.blocks[0]?.config?.["label"] }));
  return { names: data.map(({ name }) => name), labelled, layoutId: intake.viewLayoutId };
}

const RACES: Record<string, Race> = {
  "two runs in one folder": async (world, random) => {
    const [folder] = world.folders;
    write(folder, "Intake", "A");
    const outcomes = await Promise.all([
      apply(world, folder, 0),
      setTimeout(random(LATER)).then(() => apply(world, folder, 1)),
    ]);
    const { names, labelled } = await pictureOf(world);
    const violations: string[] = [];
    if (!outcomes.some(isApplied)) violations.push(`no run is applied: ${JSON.stringify(outcomes)}`);
    if (names.join() !== "Intake") violations.push(`the forms are ${names.join()}`);
    const isPublished = labelled.some(({ status, label }) => status === "PUBLISHED" && label === "A");
    if (!isPublished) violations.push("the content of the manifests is not published");
    return { violations, met: outcomes.every(isApplied) ? "both applied" : "one refused" };
  },

  "two folders": async (world, random) => {
    const [first, second] = world.folders;
    write(first, "Intake", "A");
    write(second, "Intake", "B");
    const outcomes = await Promise.all([
      apply(world, first, 0),
      setTimeout(random(LATER)).then(() => apply(world, second, 1)),
    ]);
    const { names, labelled } = await pictureOf(world);
    const violations: string[] = [];
    if (names.join() !== "Intake") violations.push(`the forms are ${names.join()}`);
    for (const [index, label] of ["A", "B"].entries()) {
      const isStored = labelled.some((version) => version.label === label && version.status !== "DRAFT");
      if (isApplied(outcomes[index]!) && !isStored) violations.push(`the applied content ${label} is lost`);
    }
    if (!outcomes.some(isApplied)) violations.push("no run is applied");
    return { violations, met: outcomes.every(isApplied) ? "both applied" : "one refused" };
  },

  "a new form from two folders": async (world, random) => {
    const [first, second] = world.folders;
    for (const folder of world.folders) write(folder, "Second", "A");
    const outcomes = await Promise.all([
      apply(world, first, 0),
      setTimeout(random(LATER)).then(() => apply(world, second, 1)),
    ]);
    const { names } = await pictureOf(world);
    const count = names.filter((name) => name === "Second").length;
    const isReported = outcomes.some((outcome) =>
      "refusal" in outcome ? true : outcome.result.resources.some(({ conflict }) => conflict !== undefined),
    );
    const violations: string[] = [];
    if (count === 0) violations.push("no run has created the form");
    if (count > 1 && !isReported) violations.push(`the form exists ${count} times, and no run reports it`);
    return { violations, met: count > 1 ? "created twice and reported" : "created once" };
  },

  "a run and an edit": async (world, random) => {
    const [folder] = world.folders;
    write(folder, "Intake", "A");
    const { layoutId } = await pictureOf(world);
    const edit = async () => {
      await setTimeout(random(2 * LATER));
      const service = await world.locals[1].service(world.organization);
      const content = { schemaVersion: 1, regions, blocks: blocks("edit") };
      await service.saveDraft({ layoutId, body: { clientMutationId: "edit", ...content } });
    };
    const [outcome] = await Promise.all([apply(world, folder, 0), edit()]);
    const { labelled } = await pictureOf(world);
    const violations: string[] = [];
    const isStored = (label: string) => labelled.some((version) => version.label === label);
    if (!isStored("edit")) violations.push("the edit of the user is lost");
    if (isApplied(outcome) && !isStored("A")) violations.push("the applied content is lost");
    return { violations, met: isApplied(outcome) ? "applied" : "refused" };
  },
};

async function runOn(place: Place, count: number, { seed, sabotage }: { seed: number; sabotage: Sabotage }) {
  const violations: string[] = [];
  const facts: Record<string, number> = {};
  const kinds = Object.entries(RACES);
  for (let start = 0; start < count; start += SHARED) {
    const database = await place.open(2);
    const target = new EngineTarget(place.name, database, { now: new Date("2026-03-02T09:00:00.000Z") });
    for (let index = start; index < Math.min(start + SHARED, count); index++) {
      const [kind, race] = kinds[index % kinds.length]!;
      const where = `race ${index} on ${place.name}, ${kind}`;
      await inFolder(async (folder) => {
        const organization = `north-${index}`;
        await target.addPair(String(index), ["north"]);
        const folders = [join(folder, "one"), join(folder, "two")] as const;
        const [first, second = first] = target.connections;
        const world: World = { folders, locals: [first!, second!], organization, sabotage };
        write(folders[0], "Intake", "first");
        const prepared = await apply(world, folders[0], 0);
        if (!isApplied(prepared)) throw new Error(`${where}: the first run is not applied`);
        cpSync(folders[0], folders[1], { recursive: true });
        const { violations: found, met } = await race(world, generator(seed + index * 7919));
        violations.push(...found.map((violation) => `${where}: ${violation}`));
        facts[`${place.name}: ${kind}: ${met}`] = (facts[`${place.name}: ${kind}: ${met}`] ?? 0) + 1;
      });
    }
    violations.push(...(await target.check()));
    await database.close();
  }
  return { violations, facts };
}

async function runAll(count: number, seed: number): Promise<Result> {
  return withPostgres(async (postgres) => {
    const places = postgres ? [sqlite, postgres.shared] : [sqlite];
    const all: Result = { count, violations: [], facts: {} };
    for (const place of places) {
      const { violations, facts } = await runOn(place, count, { seed, sabotage: () => ({}) });
      all.violations.push(...violations);
      Object.assign(all.facts, facts);
    }
    return all;
  });
}

/** Saves each draft without `expectedDraftVersionId`: the draft replaces any current draft. */
const overwriting: Sabotage = (service) => ({
  saveDraft: ({ layoutId, body }) => {
    const { expectedDraftVersionId: _, ...rest } = body;
    return service.saveDraft({ layoutId, body: rest });
  },
});

export const applyRaces: Loop = {
  name: "apply-races",
  full: 500,
  sample: 8,
  run: runAll,
  async control(seed) {
    const violations: string[] = [];
    let count = 0;
    // An edit is lost if it comes between two requests of the run. Most edits come at other times, so the control may
    // need several races.
    for (; violations.length === 0 && count < 200; count += SHARED) {
      const run = await runOn(sqlite, SHARED, { seed: seed + count, sabotage: overwriting });
      violations.push(...run.violations.filter((line) => line.includes("is lost")));
    }
    return { count, violations, facts: {} };
  },
};
