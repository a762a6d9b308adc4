/**
 * Functions for layouts in lists:
 *
 * - complete list items with missing members
 * - recognize the layout in which a server keeps the record of migrations
 * - compare assignments
 */

import type { AssignmentAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { readLayout, type Service } from "../service.ts";

/**
 * Returns the layout with its name, surface and target. Reads the layout if the list item lacks one of these members.
 * The API document does not define the list of layouts.
 */
export async function namedLayout(service: Service, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target } = listed;
  return completed(service, listed, [name, surface, target]);
}

/** Returns the layout with all members that a plan compares. Reads the layout if the list item lacks one of them. */
export async function wholeLayout(service: Service, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target, supportedModes, metadata, assignments } = listed;
  return completed(service, listed, [name, surface, target, supportedModes, metadata, assignments]);
}

async function completed(service: Service, listed: LayoutAnswer, members: readonly unknown[]): Promise<LayoutAnswer> {
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
