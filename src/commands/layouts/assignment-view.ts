/** The assignments of a layout as a person reads them. */

import type { Assignment } from "../../schemas/layout.ts";
import type { KeyedView } from "../../schemas/organization.ts";
import { printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { roleText } from "./roles.ts";

export function printAssignments(
  assignments: readonly Assignment[],
  roles: readonly KeyedView[] | undefined,
  terminal: Terminal,
): void {
  const columns = [
    { title: "For", value: (row: Assignment) => subjectText(row, roles) },
    {
      title: "Priority",
      value: ({ isDefault, priority }: Assignment) => (isDefault ? null : priority),
      align: "right",
    },
    { title: "Role id", value: ({ roleId }: Assignment) => roleId },
    { title: "Id", value: ({ id }: Assignment) => id, whole: true },
  ] as const;
  printTable(terminal, columns, assignments, "The layout is assigned to nobody.");
}

/** `the organization default`, or the role's name */
export function subjectText({ isDefault, roleId }: Assignment, roles: readonly KeyedView[] | undefined): string {
  return isDefault || roleId === null ? "organization default" : roleText(roles, roleId);
}
