/** What apply is to do: a plan made now from manifests, or one that was sealed before and still holds. */

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { FormctlError } from "../../error.ts";
import type { DoneBefore } from "../../manifests/apply/outcome.ts";
import { readRuns, type Runs, unfinishedRuns } from "../../manifests/apply/journal.ts";
import type { Lock } from "../../manifests/lock.ts";
import { openPlan, type SealedPlan, staleResources } from "../../manifests/plan/plan-file.ts";
import { verifyResource } from "../../manifests/plan/verify.ts";
import { formerAddressOf } from "../../manifests/address.ts";
import { knownLayouts, layoutsWithoutContent } from "../../manifests/lock.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import type { Plan } from "../../manifests/plan/planned.ts";
import type { Current } from "../../manifests/state.ts";
import type { RecordedRun } from "../../manifests/apply/recorded-run.ts";
import { withOwnDefaultsUndone } from "../../manifests/apply/own-defaults.ts";
import { resumePlan } from "../../manifests/apply/resume.ts";
import { atPlannedLines } from "../../manifests/apply/planned-lines.ts";
import { stalePlan } from "../../manifests/apply/stale-plan.ts";
import { answerOf, requireKnown, unknownLayoutsAt } from "../../manifests/apply/unknown-layouts.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { visible } from "../../terminal/escape.ts";
import type { Service } from "../../service.ts";
import type { Sources } from "../../terminal/diagnostics.ts";
import type { CommandContext } from "../command.ts";
import { runsFolder } from "./earlier-runs.ts";
import { inWords, placeOf } from "./place.ts";
import { openBases } from "./project-lock.ts";
import { preparePlan, usualConcurrency } from "./prepare-plan.ts";
import { findReferences } from "./references.ts";

export type ErrandInput = {
  paths: readonly string[];
  prune: boolean;
  target: readonly string[];
  noPublish: boolean;
  noStamp: boolean;
  strict: boolean;
  /** Layouts that a person has not found, as LAYOUT_UNKNOWN says how. */
  notCreated: readonly string[];
  concurrency: number | undefined;
  organizationFile: string | undefined;
};

export type Errand = {
  plan: Plan;
  /** By which a run of the same plan is found again. */
  digest: string;
  place: string;
  service: Service;
  lock: Lock;
  /** Steps that an earlier run of a sealed plan has done. */
  before?: DoneBefore;
  concurrency: number;
  strict: boolean;
  /** Warnings of the manifests. */
  problems: readonly Located[];
  /** The checks of manifests that could not run. */
  notRun: readonly string[];
  /** None of a sealed plan, which may have come without them. */
  manifests: readonly Manifest[];
  sources: Sources;
};

/**
 * @param runs undefined: nothing will be done, and the records are only looked at
 * @throws PLAN_STALE, OBJECT_MISSING, AMBIGUOUS_NAME, LAYOUT_UNKNOWN, and what preparePlan throws
 */
export async function errandOf(context: CommandContext, input: ErrandInput, runs: Runs | undefined): Promise<Errand> {
  const sealed = await readSealed(context, input.paths);
  // Whoever only asks what would be done is told what would be gone on with, and what would not be done.
  const records = () => (runs ? runs.of() : readRuns(runsFolder(context)));
  const errand = await (sealed ? sealedErrand(context, sealed, input, records) : freshErrand(context, input));
  const { plan, place, service, before } = errand;
  const { notCreated } = input;
  const recorded = await records();
  await requireKnown(plan, { service, place, runs: recorded, before, notCreated });
  const inDoubt = new Set(unknownLayoutsAt(place, recorded).map(answerOf));
  for (const said of notCreated.filter((each) => !inDoubt.has(each))) {
    context.terminal.warn(
      `--not-created ${visible(said)} changes nothing: no record says that this creation was left without an answer`,
    );
  }
  return errand;
}

async function freshErrand(context: CommandContext, input: ErrandInput): Promise<Errand> {
  const { paths, prune, target, noPublish, noStamp, strict, notCreated, concurrency, organizationFile } = input;
  const prepared = await preparePlan(context, {
    paths,
    prune,
    targets: target,
    publish: !noPublish,
    stamp: !noStamp,
    strict,
    notCreated,
    concurrency,
    organizationFile,
  });
  const { plan, set } = prepared;
  const digest = sha256(canonicalJson(plan.resources.map(({ address, read, steps }) => [address, read, steps.length])));
  return { ...prepared, digest, strict, manifests: set.manifests, sources: set.sources };
}

/** Compares everything with what the plan has read, before anything is sent. */
async function sealedErrand(
  context: CommandContext,
  { text, sealed }: { text: string; sealed: SealedPlan },
  input: ErrandInput,
  records: () => Promise<RecordedRun[]>,
): Promise<Errand> {
  refuseChoices(input);
  const { plan, place } = sealed;
  const here = await placeOf(context);
  if (here !== place) {
    throw new FormctlError(
      "USAGE",
      `the plan is for ${inWords(place)}, and this would go to ${inWords(here)}`,
      "Go where it was made for: --profile, --store and --organization say where.",
    );
  }
  const service = await context.service();
  const manifests = plan.resources.flatMap(({ address, place: at }) => (at ? [{ address, file: at.file }] : []));
  const lock = await openBases(context, place, { files: [], manifests });
  const { concurrency = usualConcurrency(context), strict } = input;
  const digest = sha256(text);
  const open = plan.resources.filter(({ steps }) => steps.length > 0);
  const addresses = new Set(open.map(({ address }) => address));
  const addressed = open.map(({ address, subject }) => ({ address, formerAddress: formerAddressOf(subject) }));
  const known = knownLayouts(lock, addressed);
  const withoutContent = layoutsWithoutContent(lock, addressed);
  let read: Current | undefined;
  let untouched: Plan = { resources: [] };
  const runs = (await records()).filter((run) => run.place === place);
  const { before, stale } = await resumePlan(
    { ...plan, resources: open },
    {
      service,
      runs: unfinishedRuns(runs, { plan: digest, addresses }),
      concurrency,
      stale: (rest, done) => {
        untouched = rest;
        return staleResources(rest, {
          service: withOwnDefaultsUndone(service, plan, done),
          known,
          withoutContent,
          concurrency,
          onRead: (current) => (read = current),
        });
      },
    },
  ).catch((error: unknown) => {
    throw atPlannedLines(error, open);
  });
  if (stale.length > 0) throw stalePlan(open.filter(({ address }) => stale.includes(address)));
  const { nameOf } = await findReferences(context);
  const current = read;
  const verified = new Map(
    untouched.resources.map((each) => [
      each.address,
      current ? verifyResource(each, { plan, current, lock, nameOf }) : each,
    ]),
  );
  const resources = plan.resources.map((each) => verified.get(each.address) ?? each);
  const none = { problems: [], notRun: [], manifests: [], sources: new Map<string, string>() };
  return { plan: { ...plan, resources }, digest, place, service, lock, before, concurrency, strict, ...none };
}

/** A plan has been made with these; another choice would be another plan. */
function refuseChoices({ prune, target, noPublish, noStamp, organizationFile }: ErrandInput): void {
  const typed = { "--prune": prune, "--target": target.length > 0, "--no-publish": noPublish, "--no-stamp": noStamp };
  const chosen = Object.entries({ ...typed, "--organization-file": organizationFile !== undefined }).find(
    ([, isTyped]) => isTyped,
  );
  if (chosen)
    throw new FormctlError("USAGE", `${chosen[0]} can't change a plan that is made`, "Make a new plan with it.");
}

/** Undefined: what was typed are manifests. */
async function readSealed(
  context: CommandContext,
  paths: readonly string[],
): Promise<{ text: string; sealed: SealedPlan } | undefined> {
  const [path] = paths;
  // A plan may have any name, but for those of manifests.
  if (paths.length !== 1 || path === undefined || path === "-" || /\.ya?ml$/i.test(path)) return undefined;
  // What is read from a pipe is gone for whoever reads it next.
  if (!(await isFile(resolve(context.cwd, path)))) return undefined;
  const text = new TextDecoder().decode(await context.readFile(path));
  return isPlan(text) ? { text, sealed: openPlan(text) } : undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** A manifest has a kind. A plan that was cut off or changed is a plan all the same, and is refused as one. */
function isPlan(text: string): boolean {
  return /^\s*\{\s*"(version|plan)"\s*:/.test(text);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
