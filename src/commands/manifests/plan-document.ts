/** Creates the part of a plan document that describes a resource. */

import type { PlannedResource } from "../../manifests/plan/planned.ts";

/**
 * Returns a resource for the JSON document. Of each step it has only the phase and operation: the content of a request
 * is only in a saved plan, and `changes` has the differences.
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
