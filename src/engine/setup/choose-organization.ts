/** Which organization a local command means. */

import { FormctlError } from "../../error.ts";
import { nearest } from "../../schemas/nearest.ts";
import { type KeyedRecord, listOrganizations } from "../../store/organizations.ts";
import type { Tx } from "../../store/store.ts";

/**
 * The organization with that key; without one, the only organization of the store.
 *
 * @throws ORGANIZATION_UNCLEAR when there is none, or no telling which
 */
export async function chooseOrganization(tx: Tx, key: string | undefined): Promise<KeyedRecord> {
  const organizations = await listOrganizations(tx);
  const keys = organizations.map((organization) => organization.key);
  const only = organizations.length === 1 ? organizations[0] : undefined;
  const found = key === undefined ? only : organizations.find((organization) => organization.key === key);
  if (found) return found;

  if (organizations.length === 0) {
    throw new FormctlError(
      "ORGANIZATION_UNCLEAR",
      "the local store has no organization",
      "Set one up: formctl local seed FILE, or formctl local init --demo",
    );
  }
  const listed = keys.join(", ");
  if (key === undefined) {
    throw new FormctlError(
      "ORGANIZATION_UNCLEAR",
      `the local store has several organizations: ${listed}`,
      "Name one: --organization KEY",
    );
  }
  const near = nearest(key, keys);
  throw new FormctlError(
    "ORGANIZATION_UNCLEAR",
    `the local store has no organization "${key}", only ${listed}`,
    `Name one that it has: --organization ${near ?? keys[0]}`,
  );
}
