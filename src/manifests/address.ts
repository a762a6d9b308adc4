/** What tells manifests apart, and what people call them. */

import type { Target } from "../schemas/layout.ts";
import { TARGET_MEMBERS, type Surface } from "../schemas/words.ts";

/** `staffing/candidate/Candidate profile` */
export function formAddress(object: string, name: string): string {
  return `${object}/${name}`;
}

/** `CONTRACTOR/Contractor card`, `DASHBOARD dashboardKey=main/Ops board` */
export function layoutAddress(surface: Surface, target: Target, name: string): string {
  return `${pageAddress(surface, target)}/${name}`;
}

/** A page that layouts are for: its surface, and what of it is named, always in one order. */
export function pageAddress(surface: Surface, target: Target): string {
  const { needs, may } = TARGET_MEMBERS[surface];
  const named = [...needs, ...may].flatMap((member) => (target[member] == null ? [] : [`${member}=${target[member]}`]));
  return named.length === 0 ? surface : `${surface} ${named.join(",")}`;
}

/** What goes by an address, or went by another one before it was renamed. */
export type Addressed = { address: string; formerAddress?: string | undefined };

/** What it goes by, and what it went by. */
export function addressesOf({ address, formerAddress }: Addressed): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}
