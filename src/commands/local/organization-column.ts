/** Whose a row is: told where a list has rows of several organizations. */

import type { Column } from "../../terminal/table.ts";

export function withOrganization<T extends { organization: string | null }>(
  columns: readonly Column<T>[],
  rows: readonly T[],
): Column<T>[] {
  const isOne = new Set(rows.map(({ organization }) => organization)).size <= 1;
  return isOne ? [...columns] : [{ title: "Organization", value: ({ organization }) => organization }, ...columns];
}
