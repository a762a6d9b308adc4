/** Prints the assignments of a layout. */

import type { AssignmentAnswer } from "../../schemas/answers.ts";
import type { KeyedView } from "../../schemas/organization.ts";
import { isDefault } from "../../lists/layouts.ts";
import { printTable, UNKNOWN } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { roleText } from "../local-names.ts";

export function printAssignments(
  assignments: readonly AssignmentAnswer[],
  roles: readonly KeyedView[] | undefined,
  terminal: Terminal,
): void {
  const columns = [
    { title: "For", value: (row: AssignmentAnswer) => subjectText(row, roles) },
    {
      title: "Priority",
      value: (row: AssignmentAnswer) => (isDefault(row) ? null : row.priority),
      align: "right",
    },
    { title: "Role id", value: ({ roleId }: AssignmentAnswer) => roleId, yields: true },
    { title: "Id", value: ({ id }: AssignmentAnswer) => id, yields: true },
  ] as const;
  printTable(terminal, columns, assignments, "The layout has no assignments.");
}

/** Returns `organization default` or the role's name. */
export function subjectText(row: AssignmentAnswer, roles: readonly KeyedView[] | undefined): string {
  if (isDefault(row)) return "organization default";
  return row.roleId == null ? UNKNOWN : roleText(roles, row.roleId);
}
