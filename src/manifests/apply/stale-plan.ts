/** A plan that was made from another state than there is now. */

import { LocatedError } from "../../documents/located-error.ts";
import { firstPlace, lineText, type Planned } from "./planned-lines.ts";

/** Nothing was sent. */
export function stalePlan(resources: readonly Planned[]): LocatedError {
  const count = resources.length === 1 ? "a resource has" : `${resources.length} resources have`;
  const told = resources.map((each) => each.address + lineText(each)).join(", ");
  return new LocatedError("PLAN_STALE", `the plan is stale: ${count} changed since it was made: ${told}`, {
    location: firstPlace(resources),
    hint: "Nothing was changed. Make a new plan and read it: formctl plan --out FILE",
  });
}
