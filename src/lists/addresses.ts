/**
 * The addresses of objects (`staffing/candidate`), forms (`staffing/candidate/Candidate profile`) and layouts that no
 * form owns (`CONTRACTOR/Contractor card`), in messages, plans and the lock.
 */

import type { LayoutAnswer } from "../schemas/answers.ts";
import type { Target } from "../schemas/layout.ts";
import { isSurface, TARGET_KEYS, TARGET_MEMBERS, type TargetKey } from "../schemas/words.ts";

export type ObjectKey = { moduleKey: string; objectKey: string };

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

/** Returns the address of a listed layout. Undefined if the server does not show a part of the address. */
export function addressOf({ surface, target, name }: LayoutAnswer): string | undefined {
  const isShown = surface !== undefined && target !== undefined && name !== undefined;
  return isShown ? layoutAddress(surface, target, name) : undefined;
}

/**
 * Whether a text looks like the address of a layout that no form owns. Plans print such addresses. The surface may be
 * unknown to formctl, because a server may have other surfaces.
 */
export function isPageAddress(text: string): boolean {
  const [, surface, target, name] = /^([A-Z][A-Z0-9_]*)( [A-Za-z]+=[^/]*)?\/(.+)$/s.exec(text) ?? [];
  return name !== undefined && (isSurface(surface) || target !== undefined || !name.includes("/"));
}

/** Returns the surface of an address. */
export function surfaceIn(address: string): string {
  return address.split(/[ /]/, 1)[0]!;
}
