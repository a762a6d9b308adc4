/** Output that several local commands share. */

import { statSync } from "node:fs";
import type { StoreCounts } from "../../local-service.ts";
import type { Column } from "../../terminal/table.ts";
import { plural } from "../../base/plural.ts";
import { isStoreUrl } from "../../base/database-url.ts";

/** From this size on, work on a whole store takes about a second or more. */
const LARGE_BYTES = 32 * 1024 * 1024;

export function isLarge(path: string): boolean {
  // The size of a PostgreSQL database is unknown, so the database counts as large.
  if (isStoreUrl(path)) return true;
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= LARGE_BYTES;
}

/** Returns the counts as text, such as `1 organization, 5 forms, 9 layouts, 12 versions`. */
export function formatCounts({ organizations, forms, layouts, versions }: StoreCounts): string {
  return [
    plural(organizations, "organization"),
    plural(forms, "form"),
    plural(layouts, "layout"),
    plural(versions, "version"),
  ].join(", ");
}

/** Adds a column with the organization if the rows belong to several organizations. */
export function withOrganization<T extends { organization: string | null }>(
  columns: readonly Column<T>[],
  rows: readonly T[],
): Column<T>[] {
  const isOne = new Set(rows.map(({ organization }) => organization)).size <= 1;
  return isOne
    ? [...columns]
    : [{ title: "Organization", value: ({ organization }) => organization, essential: true }, ...columns];
}
