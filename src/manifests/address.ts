/** What tells manifests apart, and what people call them. */

import type { Target } from "../schemas/layout.ts";
import { isSurface, TARGET_KEYS, TARGET_MEMBERS, type TargetKey } from "../schemas/words.ts";

/** `staffing/candidate/Candidate profile` */
export function formAddress(object: string, name: string): string {
  return `${object}/${name}`;
}

/** `CONTRACTOR/Contractor card`, `DASHBOARD dashboardKey=main/Ops board` */
export function layoutAddress(surface: string, target: Target, name: string): string {
  return `${pageAddress(surface, target)}/${name}`;
}

/** A page that layouts are for: its surface, and what of it is named, always in one order. */
export function pageAddress(surface: string, target: Target): string {
  const named = membersOf(surface).flatMap((member) => (target[member] == null ? [] : [`${member}=${target[member]}`]));
  return named.length === 0 ? surface : `${surface} ${named.join(",")}`;
}

function membersOf(surface: string): readonly TargetKey[] {
  // A layout of a surface that only its server knows has an address too, though no manifest can be made of it.
  if (!isSurface(surface)) return TARGET_KEYS;
  const { required, optional } = TARGET_MEMBERS[surface];
  return [...required, ...optional];
}

/** What goes by an address, or went by another one before it was renamed. */
export type Addressed = { address: string; formerAddress?: string | undefined };

/** What it goes by, and what it went by. */
export function addressesOf({ address, formerAddress }: Addressed): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}
