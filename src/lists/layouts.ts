/**
 * Functions for layouts in lists:
 *
 * - list the layouts of surfaces, and complete list items with missing members
 * - find a layout by its address
 * - recognize the layout in which a server keeps the record of migrations
 * - compare assignments
 */

import pMap from "p-map";
import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { AssignmentAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { targetKey } from "../schemas/target-key.ts";
import { isSurface } from "../schemas/words.ts";
import { readLayout, type Service, ServiceError } from "../service.ts";
import { quoted } from "../base/shell-quote.ts";
import { addressOf, surfaceIn } from "./addresses.ts";

type Reads = Pick<Service, "getLayout">;

/** Maximum number of concurrent requests for layouts whose names the list omits. */
const LAYOUTS_AT_ONCE = 8;

/**
 * Lists the layouts of the given surfaces.
 *
 * @param surfaces undefined for all surfaces
 * @returns undefined if the server has no list of layouts
 */
export async function listAllLayouts(
  service: Pick<Service, "listLayouts" | "getLayout">,
  surfaces?: ReadonlySet<string>,
  concurrency = LAYOUTS_AT_ONCE,
): Promise<LayoutAnswer[] | undefined> {
  const [surface, ...others] = surfaces ?? [];
  try {
    // The query takes one surface. For several surfaces, one request for the whole list is cheaper than a request for
    // each surface.
    const query = isSurface(surface) && others.length === 0 ? { surface } : {};
    const layouts = await service.listLayouts({ query });
    const wanted = layouts.filter((layout) => !surfaces || !layout.surface || surfaces.has(layout.surface));
    return await pMap(wanted, (layout) => namedLayout(service, layout), { concurrency });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}

/** Creates the error for a command that needs a list of layouts. */
export function layoutsNotListed(hint = "Specify the layout by its id."): FormctlError {
  return new FormctlError("NOT_FOUND", "this server does not list layouts", hint);
}

/**
 * Finds a layout by its address.
 *
 * @throws NOT_FOUND if no layout has the address, or the server does not list layouts
 * @throws AMBIGUOUS_NAME if several layouts have the address
 */
export async function findLayout(service: Service, address: string): Promise<LayoutAnswer> {
  return layoutAt(address, await listAllLayouts(service, new Set([surfaceIn(address)])));
}

/** Like `findLayout`, for listed layouts. @param listed undefined if the server does not list layouts */
export function layoutAt(address: string, listed: readonly LayoutAnswer[] | undefined): LayoutAnswer {
  if (!listed) throw layoutsNotListed();
  const found = layoutAmong(listed, address);
  if (found) return found;
  throw missingLayout(address, listed);
}

/**
 * Returns the layout with an address. Undefined if no layout has it. A layout of the organization has precedence over a
 * layout of a form or of the system with the same address. Ignores archived layouts.
 *
 * @throws AMBIGUOUS_NAME if several layouts have the address
 */
export function layoutAmong(listed: readonly LayoutAnswer[], address: string): LayoutAnswer | undefined {
  const all = listed.filter((layout) => layout.status !== "ARCHIVED" && addressOf(layout) === address);
  const own = all.filter(isOrganizationLayout);
  const matches = own.length > 0 ? own : all;
  const [only, another] = matches;
  if (only && another) {
    const ids = matches.map(({ id }) => id).join(", ");
    const message = `${matches.length} layouts have the address "${address}": ${ids}`;
    throw new FormctlError("AMBIGUOUS_NAME", message, `Specify the id: ${quoted(only.id)}`);
  }
  return only;
}

/** Creates the error for a layout that does not exist. Suggests the address of a similar layout. */
export function missingLayout(text: string, layouts: readonly LayoutAnswer[]): FormctlError {
  const addresses = layouts.flatMap((layout) => (layout.status !== "ARCHIVED" && addressOf(layout)) || []);
  const name = text.slice(text.indexOf("/") + 1);
  const named = addresses.filter((address) => address.endsWith(`/${name}`));
  const near = named.length === 1 ? named[0] : nearest(text, addresses);
  const hint = near === undefined ? "List the layouts: formctl layouts list" : `Did you mean ${quoted(near)}?`;
  return new FormctlError("NOT_FOUND", `the layout "${text}" does not exist`, hint);
}

/**
 * Returns a key for a page: a surface with a target. Only one layout of a page can be the organization's default for a
 * mode.
 */
export function pageKeyOf({ surface = "", target = {} }: Pick<LayoutAnswer, "surface" | "target">): string {
  return `${surface} ${targetKey(target)}`;
}

/**
 * Whether a layout belongs to the organization itself (not to the system or a form) and is not archived.
 */
export function isOrganizationLayout({ ownerScope, target, status }: LayoutAnswer): boolean {
  return ownerScope !== "SYSTEM" && target?.["formId"] == null && status !== "ARCHIVED";
}

/**
 * Whether a layout is one that the users of the organization made. The record of migrations is left out: a target must
 * not get the record of another target.
 */
export function isUserLayout(layout: LayoutAnswer): boolean {
  return isOrganizationLayout(layout) && !isMigrationRecord(layout);
}

/**
 * Returns the layout with its name, surface and target. Reads the layout if the list item lacks one of these members.
 * The API document does not define the list of layouts.
 */
async function namedLayout(service: Reads, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target } = listed;
  return completed(service, listed, [name, surface, target]);
}

/** Returns the layout with all members that a plan compares. Reads the layout if the list item lacks one of them. */
export async function wholeLayout(service: Reads, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target, supportedModes, metadata, assignments } = listed;
  return completed(service, listed, [name, surface, target, supportedModes, metadata, assignments]);
}

async function completed(service: Reads, listed: LayoutAnswer, members: readonly unknown[]): Promise<LayoutAnswer> {
  if (members.every((member) => member !== undefined)) return listed;
  return { ...listed, ...(await readLayout(service, listed.id)) };
}

/** The surface and the name of the layout that contains the record of migrations of a server. */
export const MIGRATION_RECORD = { surface: "ORGANIZATION", name: "formctl migrations" } as const;

/**
 * Whether a layout contains the record of migrations. Such a layout is not a layout of the users: it is never exported,
 * promoted or migrated.
 */
export function isMigrationRecord({ surface, name }: Pick<LayoutAnswer, "surface" | "name">): boolean {
  return surface === MIGRATION_RECORD.surface && name === MIGRATION_RECORD.name;
}

export type Assignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

/**
 * Returns the assignments of a layout, or undefined if the server does not show all of them. A caller that writes
 * incomplete assignments back would remove the hidden assignments.
 */
export function assignmentsOf({ assignments }: Pick<LayoutAnswer, "assignments">): Assignments | undefined {
  if (!assignments) return undefined;
  const known: Assignments = { organizationDefault: false, roles: [] };
  for (const row of assignments) {
    if (isDefault(row)) known.organizationDefault = true;
    else if (row.roleId == null || row.priority === undefined) return undefined;
    else known.roles.push({ roleId: row.roleId, priority: row.priority });
  }
  return known;
}

/** Whether a row is the organization default. A row without the flag is the default if its `roleId` is null. */
export function isDefault({ isDefault: flag, roleId }: AssignmentAnswer): boolean {
  return flag ?? roleId === null;
}

/** Returns a text for comparisons. Equal assignments have equal texts. */
export function assignmentsText({ organizationDefault, roles }: Assignments): string {
  const rows = roles.map(({ roleId, priority }) => `${roleId} ${priority}`);
  return [...rows, ...(organizationDefault ? ["default"] : [])].sort().join("\n");
}
