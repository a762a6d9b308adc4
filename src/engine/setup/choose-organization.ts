/** Determines the organization of a local command. */

import { FormctlError } from "../../base/error.ts";
import { nearest } from "../../base/nearest.ts";
import { type KeyedRecord, listOrganizations } from "../../store/organizations.ts";
import type { Tx } from "../../store/store.ts";

/**
 * Returns the organization with the key. If `key` is undefined, returns the only organization of the store.
 *
 * @throws FormctlError ORGANIZATION_UNCLEAR if no organization matches
 * @throws FormctlError ORGANIZATION_UNCLEAR if `key` is undefined and the store has several organizations
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
      "Add one: formctl local init --demo, or formctl local seed FILE",
    );
  }
  const listed = keys.join(", ");
  if (key === undefined) {
    throw new FormctlError(
      "ORGANIZATION_UNCLEAR",
      `the local store has several organizations: ${listed}`,
      "Specify one: --organization KEY",
    );
  }
  const near = nearest(key, keys);
  throw new FormctlError(
    "ORGANIZATION_UNCLEAR",
    `unknown organization "${key}". Organizations: ${listed}`,
    `Specify one: --organization ${near ?? keys[0]}`,
  );
}
