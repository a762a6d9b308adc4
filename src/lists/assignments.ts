/** Who a layout is assigned to, from the rows that any server shows of it. */

import type { AssignmentAnswer, LayoutAnswer } from "../schemas/answers.ts";

export type Assignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

/** Undefined where the server shows no assignments, or not what they say: written back, they would be others. */
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

/** A row for no role is the organization default. */
export function isDefault({ isDefault: flag, roleId }: AssignmentAnswer): boolean {
  return flag ?? roleId === null;
}

/** A text that is the same for two sets that mean the same. */
export function assignmentsText({ organizationDefault, roles }: Assignments): string {
  const rows = roles.map(({ roleId, priority }) => `${roleId} ${priority}`);
  return [...rows, ...(organizationDefault ? ["default"] : [])].sort().join("\n");
}
