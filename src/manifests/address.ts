/** Addresses: the texts by which plans, the lock and messages name forms, layouts and objects. */

import type { Target } from "../schemas/layout.ts";
import { isSurface, TARGET_KEYS, TARGET_MEMBERS, type TargetKey } from "../schemas/words.ts";
import type { ObjectKey } from "./manifest.ts";

/** `staffing/candidate` */
export function objectText({ moduleKey, objectKey }: ObjectKey): string {
  return `${moduleKey}/${objectKey}`;
}

/** `staffing/candidate/Candidate profile` */
export function formAddress(object: string, name: string): string {
  return `${object}/${name}`;
}

/** `CONTRACTOR/Contractor card`, `DASHBOARD dashboardKey=main/Ops board` */
export function layoutAddress(surface: string, target: Target, name: string): string {
  return `${pageAddress(surface, target)}/${name}`;
}

/** The surface and the target of layouts, with the members of the target in a fixed order. */
export function pageAddress(surface: string, target: Target): string {
  const named = membersOf(surface).flatMap((member) => (target[member] == null ? [] : [`${member}=${target[member]}`]));
  return named.length === 0 ? surface : `${surface} ${named.join(",")}`;
}

function membersOf(surface: string): readonly TargetKey[] {
  // An exported layout may have a surface that only its server knows.
  if (!isSurface(surface)) return TARGET_KEYS;
  const { required, optional } = TARGET_MEMBERS[surface];
  return [...required, ...optional];
}

/** A resource with its address, and the address that it had before a rename. */
export type Addressed = { address: string; formerAddress?: string | undefined };

/** The present and the former address. */
export function addressesOf({ address, formerAddress }: Addressed): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}

/** The address before a rename. Both addresses differ only in the name at their end. */
export function formerAddressOf({
  address,
  name,
  formerName,
}: {
  address: string;
  name: string;
  formerName?: string;
}): string | undefined {
  return formerName === undefined ? undefined : address.slice(0, -name.length) + formerName;
}
