/**
 * Prepares what an apply executes: a new plan from manifests, or a saved plan. A saved plan is stale if the target has
 * changed. For a saved plan, the manifests are not read again: their changes have no effect.
 */

import { FormctlError } from "../../error.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { canonicalJson } from "../../schemas/json.ts";
import type { Service } from "../../service.ts";
import { sha256 } from "../../sha256.ts";
import { formerAddressOf } from "../address.ts";
import { atPlannedLines, stalePlan } from "../apply/failures.ts";
import { listedForms, type ListedForms } from "../apply/lookup.ts";
import { type AppliedSteps, type RecordedRun, unfinishedRuns } from "../apply/recorded-runs.ts";
import { resumePlan } from "../apply/resume-saved-plan.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../lock.ts";
import type { Manifest } from "../manifest.ts";
import { openPlan, staleResources, verifyResource } from "../plan/plan-file.ts";
import type { Plan } from "../plan/planned.ts";
import type { Current } from "../state.ts";
import { openProjectLock, type ProjectContext, withoutClaims } from "./context.ts";
import { makePlan, type PlanChoices } from "./make-plan.ts";
import { targetText } from "./target.ts";

export type Job = {
  plan: Plan;
  /** The digest that identifies the plan in journals. A later run of the plan finds the journal by this digest. */
  digest: string;
  /** The key of the target. */
  target: string;
  service: Service;
  lock: Lock;
  /** The forms that the plan has read. Absent for a saved plan. */
  listed?: ListedForms;
  /** The steps of a saved plan that an earlier run completed. */
  appliedSteps?: AppliedSteps;
  /** Warnings of the manifests. */
  problems: readonly Located[];
  notRun: readonly string[];
  /** Empty for a saved plan, because its manifests may be on another machine. */
  manifests: readonly Manifest[];
  sources: ReadonlyMap<string, string>;
};

export type JobRequest = PlanChoices & { notCreated?: readonly string[] };

/** Creates a plan from manifests. @throws what `makePlan` throws */
export async function newJob(context: ProjectContext, request: JobRequest): Promise<Job> {
  const made = await makePlan(context, request);
  const { plan, set, current, readSince } = made;
  const digest = sha256(canonicalJson(plan.resources.map(({ address, read, steps }) => [address, read, steps.length])));
  const listed = listedForms(current, readSince);
  return { ...made, digest, listed, manifests: set.manifests, sources: set.sources };
}

type SavedOptions = { text: string; request: JobRequest; runs: readonly RecordedRun[] };

/**
 * Opens a saved plan and compares the target with the state that the plan read. Steps that an earlier run of the plan
 * completed count as done.
 *
 * @throws PLAN_UNUSABLE, PLAN_STALE, OBJECT_MISSING, AMBIGUOUS_NAME
 * @throws USAGE if the plan was created for another target
 * @throws USAGE for options that can't be used with a saved plan
 */
export async function savedJob(context: ProjectContext, { text, request, runs }: SavedOptions): Promise<Job> {
  const { plan, place: target, files } = openPlan(text);
  refuseChoices(request, context);
  const key = await context.target.key();
  if (key !== target) {
    throw new FormctlError(
      "USAGE",
      `the plan was created for ${targetText(target)}, and the current target is ${targetText(key)}`,
      "Specify the target with --profile, --store or --organization.",
    );
  }
  const { concurrency } = context;
  const service = await context.target.service();
  const manifests = plan.resources.flatMap(({ address, place }) => (place ? [{ address, file: place.file }] : []));
  const opened = await openProjectLock(context, key, { files: [], manifests });
  // A plan without files comes from a desired state that was computed.
  const lock = Object.keys(files).length === 0 ? withoutClaims(opened) : opened;
  const open = plan.resources.filter(({ steps }) => steps.length > 0);
  const addressed = open.map(({ address, subject }) => ({ address, formerAddress: formerAddressOf(subject) }));
  const known = knownLayouts(lock, addressed);
  const withoutContent = layoutsWithoutContent(lock, addressed);
  const digest = sha256(text);
  const addresses = new Set(open.map(({ address }) => address));
  const ofTarget = runs.filter((run) => run.target === key);

  let current: Current | undefined;
  let untouched: Plan = { resources: [] };
  const { appliedSteps, stale } = await resumePlan(
    { ...plan, resources: open },
    {
      service,
      runs: unfinishedRuns(ofTarget, { plan: digest, addresses }),
      concurrency,
      findStale(rest, asPlanned) {
        untouched = rest;
        return staleResources(rest, {
          service: asPlanned,
          known,
          withoutContent,
          concurrency,
          onRead: (read) => (current = read),
        });
      },
    },
  ).catch((error: unknown) => {
    throw atPlannedLines(error, open);
  });
  if (stale.length > 0) throw stalePlan(open.filter(({ address }) => stale.includes(address)));

  const { nameOf } = await context.target.references();
  const read = current;
  const verified = new Map(
    untouched.resources.map((each) => [
      each.address,
      read ? verifyResource(each, { plan, current: read, lock, nameOf }) : each,
    ]),
  );
  const resources = plan.resources.map((each) => verified.get(each.address) ?? each);
  const none = { problems: [], notRun: [], manifests: [], sources: new Map<string, string>() };
  return { plan: { ...plan, resources }, digest, target, service, lock, appliedSteps, ...none };
}

/** Refuses options that would result in another plan. A saved plan keeps the options of its creation. */
function refuseChoices(
  { prune = false, targets = [], publish = true, stamp = true }: PlanChoices,
  { organizationFile }: ProjectContext,
): void {
  const choices = {
    "--prune": prune,
    "--target": targets.length > 0,
    "--no-publish": !publish,
    "--no-stamp": !stamp,
    "--organization-file": organizationFile !== undefined,
  };
  const [chosen] = Object.entries(choices).filter(([, isChosen]) => isChosen);
  if (chosen) {
    throw new FormctlError(
      "USAGE",
      `${chosen[0]} can't be used with a saved plan`,
      "Create a new plan and review it: formctl plan --out FILE",
    );
  }
}
