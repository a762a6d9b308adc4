/** Defines what an apply executes: a new plan from manifests, or a saved plan (saved-plan.ts). */

import type { Located } from "../schemas/diagnostic.ts";
import { canonicalJson } from "../schemas/json.ts";
import type { Service } from "../service.ts";
import { sha256 } from "../base/sha256.ts";
import { listedForms, type ListedForms } from "../apply/lookup.ts";
import type { StepOutcome } from "../apply/step-runner.ts";
import type { Lock } from "../state/lock.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { ProjectContext } from "./context.ts";
import { makePlan, type PlanChoices } from "./make-plan.ts";

export type Job = {
  /** The plan from the current state. For a saved plan, only the resources that have or had steps. */
  plan: Plan;
  /** The resources of a saved plan that need no step: unchanged resources, and forms that an earlier run deleted. */
  others: readonly Pick<PlannedResource, "address" | "action">[];
  /** The steps of a saved plan that an earlier run completed. */
  doneBefore: readonly StepOutcome[];
  /** The digest that identifies the plan in journals. A later run of the plan finds the journal by this digest. */
  digest: string;
  /** The key of the target. */
  target: string;
  service: Service;
  lock: Lock;
  /** The forms that the plan has read. Absent for a saved plan. */
  listed?: ListedForms;
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
  return { ...made, others: [], doneBefore: [], digest, listed, manifests: set.manifests, sources: set.sources };
}
