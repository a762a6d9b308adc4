/** Creates the JSON documents of plans. */

import type { PlannedResource } from "../../plan/planned.ts";
import type { PlanResult } from "../../project/project.ts";

/** Returns the JSON document of a plan, without the exit code. */
export function planDocument({ target, summary, plan, problems, notRun }: PlanResult) {
  return { target, summary, resources: plan.resources.map(resourceDocument), problems, notRun };
}

/**
 * Returns a resource for the JSON document. Of each step, it contains only the phase and the operation. Only a saved
 * plan contains the requests. The differences are in `changes`.
 */
export function resourceDocument({
  address,
  kind,
  action,
  object,
  formId,
  layoutId,
  place,
  steps,
  ...rest
}: PlannedResource) {
  const { changes, effects, notes, needs, drift } = rest;
  return {
    address,
    kind,
    action,
    object,
    formId,
    layoutId,
    ...place,
    changes,
    effects,
    notes,
    needs,
    drift,
    steps: steps.map(({ phase, request }) => ({ phase, operation: request.operation })),
  };
}
