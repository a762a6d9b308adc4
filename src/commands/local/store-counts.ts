/** What a store holds, in words. */

import type { StoreCounts } from "../../local-service.ts";

/** `1 organization, 5 forms, 9 layouts, 12 versions`. */
export function formatCounts({ organizations, forms, layouts, versions }: StoreCounts): string {
  return [
    plural(organizations, "organization"),
    plural(forms, "form"),
    plural(layouts, "layout"),
    plural(versions, "version"),
  ].join(", ");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
