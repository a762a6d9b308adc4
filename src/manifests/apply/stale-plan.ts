/** A plan that was made from another state than there is now. */

/** Exit 6. Nothing was sent. */
export class StalePlan extends Error {
  override readonly name = "StalePlan";
  readonly addresses: readonly string[];
  readonly hint = "Nothing was changed. Make a new plan and read it: formctl plan --out FILE";

  constructor(addresses: readonly string[]) {
    const count = addresses.length === 1 ? "a resource has" : `${addresses.length} resources have`;
    super(`the plan is stale: ${count} changed since it was made: ${addresses.join(", ")}`);
    this.addresses = addresses;
  }
}
