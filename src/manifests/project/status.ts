/** Implements `Project.status`, which reports how each manifest and the target differ, and which side changed. */

import type { Located } from "../../schemas/diagnostic.ts";
import { type State, stateOf } from "../plan/drift.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { ProjectContext } from "./context.ts";
import { makePlan, type PlanChoices } from "./make-plan.ts";
import { recordInSync } from "../apply/lock-update.ts";

export type StatusRequest = Pick<PlanChoices, "paths" | "targets" | "publish">;

export type ResourceStatus = Pick<PlannedResource, "address" | "kind" | "drift" | "notes" | "formId" | "layoutId"> & {
  state: State;
};

export type StatusResult = {
  /** The state of each resource, in the order of the manifests. */
  resources: readonly ResourceStatus[];
  /** The plan from which the states are derived. */
  plan: Plan;
  /** The key of the target. */
  target: string;
  problems: readonly Located[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

export async function status(context: ProjectContext, request: StatusRequest): Promise<StatusResult> {
  const { plan, target, problems, set, lock } = await makePlan(context, { ...request, reportOnly: true });
  // With `publish: false`, drafts were compared, but the lock describes the published content.
  if (request.publish ?? true) await recordInSync(plan, lock);
  const resources = plan.resources.map((resource): ResourceStatus => {
    const { address, kind, drift, notes, formId, layoutId } = resource;
    const ids = { ...(formId !== undefined && { formId }), ...(layoutId !== undefined && { layoutId }) };
    return { address, kind, state: stateOf(resource), ...ids, drift, notes };
  });
  return { resources, plan, target, problems, sources: set.sources };
}
