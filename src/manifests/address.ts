/** Builds addresses. Addresses identify forms, layouts and objects in plans, in the lock and in messages. */

import type { Target } from "../schemas/layout.ts";
import { isSurface, TARGET_KEYS, TARGET_MEMBERS, type TargetKey } from "../schemas/words.ts";
import type { ObjectKey } from "./manifest.ts";

/** Returns the address of an object, such as `staffing/candidate`. */
export function objectText({ moduleKey, objectKey }: ObjectKey): string {
  return `${moduleKey}/${objectKey}`;
}

/** Returns the address of a form, such as `staffing/candidate/Candidate profile`. */
export function formAddress(object: string, name: string): string {
  return `${object}/${name}`;
}

/** Returns the address of a layout, such as `CONTRACTOR/Contractor card` or `DASHBOARD dashboardKey=main/Ops board`. */
export function layoutAddress(surface: string, target: Target, name: string): string {
  return `${pageAddress(surface, target)}/${name}`;
}

/** Returns the start of a layout address: the surface and the target. The members of the target have a fixed order. */
export function pageAddress(surface: string, target: Target): string {
  const named = membersOf(surface).flatMap((member) => (target[member] == null ? [] : [`${member}=${target[member]}`]));
  return named.length === 0 ? surface : `${surface} ${named.join(",")}`;
}

function membersOf(surface: string): readonly TargetKey[] {
  // An exported layout may have a surface that only its server knows. All members of its target are then included.
  if (!isSurface(surface)) return TARGET_KEYS;
  const { required, optional } = TARGET_MEMBERS[surface];
  return [...required, ...optional];
}

/** The address of a resource. `formerAddress` is present if the manifest renames the resource. */
export type Addressed = { address: string; formerAddress?: string | undefined };

/** Returns the current address. If the resource is renamed, also returns the former address. */
export function addressesOf({ address, formerAddress }: Addressed): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}

/** Returns the address with the former name at its end. Undefined without a former name. */
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
