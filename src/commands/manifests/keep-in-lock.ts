/** What an apply leaves in the lock: the ids of what it has made, and what both sides have in common now. */

import type { ApplyReport, StepOutcome } from "../../manifests/apply/outcome.ts";
import { isGone } from "../../manifests/apply/present.ts";
import type { Lock } from "../../manifests/lock.ts";
import { formerAddressOf } from "../../manifests/address.ts";
import { findLocked, layoutsWithoutContent } from "../../manifests/lock.ts";
import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";

/** Ids of all that was made; digests only of what has landed whole, and of a content that was published. */
export async function keepInLock(
  plan: Plan,
  { outcomes, conflicts }: Pick<ApplyReport, "outcomes" | "conflicts">,
  lock: Lock,
): Promise<void> {
  const byResource = Map.groupBy(outcomes, ({ resource }) => resource);
  for (const { address, kind, action, subject, base: planned, formId, layoutId } of plan.resources) {
    const of = byResource.get(address) ?? [];
    const isWhole = of.every(({ status }) => status === "done") && !conflicts.has(address);
    if (action === "delete") {
      if (isWhole) lock.set(address, null);
      continue;
    }
    const formerAddress = formerAddressOf(subject);
    const isInDoubt =
      kind === "Layout" &&
      layoutId !== undefined &&
      layoutsWithoutContent(lock, [{ address, formerAddress }]).has(address);
    if (isInDoubt && of.some(foundNone)) {
      // Not known any more, it is made anew by the next plan.
      for (const known of [address, formerAddress]) if (known !== undefined) lock.set(known, null);
      continue;
    }
    const made = Object.assign({}, ...of.map(({ ids }) => ids)) as Partial<Record<string, string>>;
    const base = { ...planned, ...(made["versionId"] !== undefined && { version: made["versionId"] }) };
    const ids = { formId: made["formId"] ?? formId, layoutId: made["layoutId"] ?? layoutId };
    if (ids.layoutId === undefined && !isWhole) continue;
    if (isWhole && of.length > 0) lock.claim(address);
    lock.set(address, {
      ...(ids.formId !== undefined && { formId: ids.formId }),
      ...(ids.layoutId !== undefined && { layoutId: ids.layoutId }),
      base: isWhole ? base : landedBase(base, findLocked(lock, { address, formerAddress })?.base, of),
    });
    if (isWhole && formerAddress !== undefined) lock.set(formerAddress, null);
  }
  await lock.save();
}

/** Neither its versions nor the write found a layout of that id. */
function foundNone({ operation, status, error }: StepOutcome): boolean {
  return (operation === "updateLayout" || operation === "saveDraft") && status === "failed" && isGone(error);
}

/** A publish has carried out its field changes, whatever failed after it: a server refuses to carry them out again. */
function landedBase(
  base: PlannedResource["base"],
  before: PlannedResource["base"] = {},
  outcomes: readonly StepOutcome[],
): PlannedResource["base"] {
  const isPublished = outcomes.some(({ operation, status }) => operation === "publishLayout" && status === "done");
  if (!isPublished) return before;
  const landed = { ...before };
  for (const name of CONTENT_BASE) {
    delete landed[name];
    if (base[name] !== undefined) landed[name] = base[name];
  }
  return landed;
}

/** Members that belong to a content, and are replaced together. */
const CONTENT_BASE = ["content", "fieldChanges", "assumedChanges", "waitingChanges", "version"] as const;
