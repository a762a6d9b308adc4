/** A plan that was made from another state than there is now. */

import { firstPlace, lineText, type Planned } from "./planned-lines.ts";

/** Exit 6. Nothing was sent. */
export class StalePlan extends Error {
  override readonly name = "StalePlan";
  readonly addresses: readonly string[];
  /** Where the first of them is spoken of, where the plan knows that. */
  readonly at: Planned["place"];
  readonly hint = "Nothing was changed. Make a new plan and read it: formctl plan --out FILE";

  constructor(resources: readonly Planned[]) {
    const count = resources.length === 1 ? "a resource has" : `${resources.length} resources have`;
    const told = resources.map((each) => each.address + lineText(each)).join(", ");
    super(`the plan is stale: ${count} changed since it was made: ${told}`);
    this.addresses = resources.map(({ address }) => address);
    this.at = firstPlace(resources);
  }
}
