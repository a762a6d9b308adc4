/** Is the local store there, sound, and clear about the organization? */

import type { CommandContext } from "../command.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

export async function checkStore(context: CommandContext): Promise<Finding[]> {
  const { location } = context.localStore;
  if (!context.localStore.exists()) {
    return [fail("store", `there is no local store at ${location}`, "Make one: formctl local init --demo", 5)];
  }
  const local = await context.local();
  const violations = await local.check();
  if (violations.length > 0) {
    const [first] = violations;
    const message = `${violations.length} broken rules, such as ${first!.invariant}: ${first!.detail}`;
    return [fail("store", message, "See: formctl local check. Go back to a backup: formctl local restore FILE", 1)];
  }
  return [ok("store", `${location} is sound`), await checkOrganization(context)];
}

async function checkOrganization(context: CommandContext): Promise<Finding> {
  const { organizations } = await (await context.local()).show();
  if (organizations.length === 0) {
    return warn("organization", "the store holds no organization", "Add one: formctl local seed FILE");
  }
  const keys = organizations.map(({ key }) => key);
  const wanted = context.organization;
  const pick = "Pick one: formctl config set organization KEY";
  if (wanted === undefined && keys.length > 1)
    return warn("organization", `the store holds several: ${keys.join(", ")}`, pick);
  if (wanted !== undefined && !keys.includes(wanted))
    return warn("organization", `the store does not hold ${wanted}, but ${keys.join(", ")}`, pick);
  return ok("organization", wanted ?? keys.join());
}
