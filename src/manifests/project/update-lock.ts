/** What plan and apply leave in `.formctl/lock.json`: the ids of resources, and the last state that both sides had in common. */

import type { ApplyReport, StepOutcome } from "../apply/outcome.ts";
import { isGone } from "../apply/present.ts";
import type { Bases } from "../bases.ts";
import { findLocked, layoutsWithoutContent } from "../lock.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import { formerAddressOf } from "../subject.ts";

type Base = PlannedResource["base"];

/** After an apply: the ids of all that was created; digests only of resources whose steps are all done. */
export async function recordApplied(
  plan: Plan,
  { outcomes, conflicts }: Pick<ApplyReport, "outcomes" | "conflicts">,
  lock: Bases,
): Promise<void> {
  const byAddress = Map.groupBy(outcomes, ({ resource }) => resource);
  for (const resource of plan.resources) {
    const { address, action, subject, base: planned, formId, layoutId } = resource;
    const own = byAddress.get(address) ?? [];
    const isDone = own.every(({ status }) => status === "done") && !conflicts.has(address);
    const formerAddress = formerAddressOf(subject);
    if (action === "delete") {
      if (isDone) lock.set(address, null);
      continue;
    }
    if (isMissing(resource, own, lock)) {
      // Once the lock forgets it, the next plan creates it again.
      for (const known of [address, formerAddress]) if (known !== undefined) lock.set(known, null);
      continue;
    }
    const created = Object.assign({}, ...own.map(({ ids }) => ids)) as Partial<Record<string, string>>;
    const ids = { formId: created["formId"] ?? formId, layoutId: created["layoutId"] ?? layoutId };
    if (ids.layoutId === undefined && !isDone) continue;
    if (isDone && own.length > 0) lock.claim(address);
    const version = created["versionId"];
    lock.set(address, {
      ...(ids.formId !== undefined && { formId: ids.formId }),
      ...(ids.layoutId !== undefined && { layoutId: ids.layoutId }),
      base: isDone
        ? { ...planned, ...(version !== undefined && { version }) }
        : baseAfterFailure(planned, findLocked(lock, { address, formerAddress })?.base, own),
    });
    if (isDone && formerAddress !== undefined) lock.set(formerAddress, null);
  }
  await lock.save();
}

/** A layout of which the lock knows nothing but an id, where a write finds no layout of that id. */
function isMissing({ kind, address, subject, layoutId }: PlannedResource, own: readonly StepOutcome[], lock: Bases) {
  if (kind !== "Layout" || layoutId === undefined) return false;
  const known = { address, formerAddress: formerAddressOf(subject) };
  return layoutsWithoutContent(lock, [known]).has(address) && own.some(foundNone);
}

function foundNone({ operation, status, error }: StepOutcome): boolean {
  return (operation === "updateLayout" || operation === "saveDraft") && status === "failed" && isGone(error);
}

/** A publish has carried out its field changes even if a later step failed; the server refuses to carry them out twice. */
function baseAfterFailure(planned: Base, before: Base = {}, outcomes: readonly StepOutcome[]): Base {
  const isPublished = outcomes.some(({ operation, status }) => operation === "publishLayout" && status === "done");
  if (!isPublished) return before;
  const base = { ...before };
  for (const name of CONTENT_BASE) {
    delete base[name];
    if (planned[name] !== undefined) base[name] = planned[name];
  }
  return base;
}

/** Members that belong to one content and are replaced together. */
const CONTENT_BASE = ["content", "fieldChanges", "assumedChanges", "waitingChanges", "version"] as const;

/**
 * After a comparison: the aspects that are in sync, so that a later run can tell which side changed. A read-only project
 * folder is not an error, and what an apply records meanwhile is kept.
 */
export async function recordInSync({ resources }: Plan, lock: Bases): Promise<void> {
  for (const { address, action, subject, drift, base, formId, layoutId } of resources) {
    if ((action !== "update" && action !== "none") || layoutId === undefined) continue;
    const before = lock.get(address);
    // The entry of the former name moves when the rename is applied.
    if (!before && subject.formerName !== undefined) continue;
    const same = Object.keys(drift).filter((aspect) => drift[aspect] === "same");
    if (same.length === 0) continue;
    // Members that are no aspect themselves, such as fieldChanges, belong to the content.
    const isInSync = (name: string) => (name in drift ? same.includes(name) : same.includes("content"));
    const merged = [
      ...Object.entries(before?.base ?? {}).filter(([name]) => !isInSync(name)),
      ...Object.entries(base).filter(([name]) => isInSync(name)),
    ];
    lock.set(address, { ...(formId !== undefined && { formId }), layoutId, base: Object.fromEntries(merged) });
  }
  await lock.save("theirs").catch(() => undefined);
}
