/** A plan in numbers. */

import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";

export type PlanSummary = Record<PlannedResource["action"], number>;

export function summaryOf({ resources }: Plan): PlanSummary {
  const summary = { create: 0, update: 0, delete: 0, none: 0 };
  for (const { action } of resources) summary[action]++;
  return summary;
}

/** `3 to create, 1 to change, 0 to delete; 12 in sync` */
export function summaryText({ create, update, delete: deleted, none }: PlanSummary): string {
  return `${create} to create, ${update} to change, ${deleted} to delete; ${none} in sync`;
}

export function isPending({ create, update, delete: deleted }: PlanSummary): boolean {
  return create + update + deleted > 0;
}
