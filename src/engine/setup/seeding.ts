/** What seeding one organization has in hand, and the one way in which it writes. */

import { canonicalJson } from "../../schemas/json.ts";
import type { OrganizationView, SeedChange, SeedOrganization } from "../../schemas/organization.ts";
import type { Tx } from "../../store/store.ts";
import type { NewId } from "../ids.ts";

export type Seeding = {
  tx: Tx;
  newId: NewId;
  changes: SeedChange[];
  organization: SeedOrganization;
  /** The same organization as the store had it. */
  before: OrganizationView | undefined;
};

/** Writes a record unless it is there as wanted, and remembers what was done. */
export async function settle<View>(
  { changes, organization }: Seeding,
  kind: SeedChange["kind"],
  key: string,
  before: View | undefined,
  wanted: View,
  put: () => Promise<void>,
): Promise<void> {
  if (before !== undefined && canonicalJson(before) === canonicalJson(wanted)) return;
  await put();
  changes.push({ action: before === undefined ? "added" : "updated", kind, key, organization: organization.key });
}
