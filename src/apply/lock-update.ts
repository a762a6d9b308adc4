/**
 * Updates the lock in two cases:
 *
 * - after a run, from the outcomes of the run
 * - after an interrupted run, from the journal of the run
 *
 * An aspect is a part of a resource that is compared as a whole, such as the access or the content. The base of a
 * resource contains the digest of each aspect at the last apply or export.
 */

import { findLocked, layoutsWithoutContent, type Lock } from "../state/lock.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import { isApplied } from "./apply.ts";
import { isNotFound } from "./create.ts";
import { interruptedRuns, type RecordedRun } from "./recorded-runs.ts";
import type { StepOutcome } from "./step-runner.ts";
import { formerAddressOf } from "../manifests/manifest.ts";

/**
 * Updates the lock after a run:
 *
 * - writes the ids of all created records
 * - writes the digests of a resource if all its steps are done, or if its content was published
 * - removes the entries of deleted forms, of missing layouts and of former addresses
 */
export async function updateLock(plan: Plan, outcomes: readonly StepOutcome[], lock: Lock): Promise<void> {
  const byResource = Map.groupBy(outcomes, ({ resource }) => resource);
  for (const { address, kind, action, subject, base: planned, formId, layoutId } of plan.resources) {
    const own = byResource.get(address) ?? [];
    const isWhole = own.every(isApplied);
    if (action === "delete") {
      if (isWhole) lock.set(address, null);
      continue;
    }
    const formerAddress = formerAddressOf(subject);
    const mayBeMissing =
      kind === "Layout" &&
      layoutId !== undefined &&
      layoutsWithoutContent(lock, [{ address, formerAddress }]).has(address);
    if (mayBeMissing && own.some(foundNoLayout)) {
      // Removes the entries of the missing layout, so that the next plan creates the layout again.
      for (const each of [address, formerAddress]) if (each !== undefined) lock.set(each, null);
      continue;
    }
    const created = Object.assign({}, ...own.map(({ ids }) => ids)) as Partial<Record<string, string>>;
    const base = { ...planned, ...(created["versionId"] !== undefined && { version: created["versionId"] }) };
    const ids = { formId: created["formId"] ?? formId, layoutId: created["layoutId"] ?? layoutId };
    if (ids.layoutId === undefined && !isWhole) continue;
    const entry = {
      ...(ids.formId !== undefined && { formId: ids.formId }),
      ...(ids.layoutId !== undefined && { layoutId: ids.layoutId }),
      base: isWhole ? base : partialBase(base, findLocked(lock, { address, formerAddress })?.base, own),
    };
    lock.set(address, entry, isWhole && own.length > 0 ? "manifest" : undefined);
    if (isWhole && formerAddress !== undefined) lock.set(formerAddress, null);
  }
  await lock.save();
}

/**
 * Whether a step failed because the layout does not exist. Some servers do not show versions. Then only a write detects
 * a missing layout.
 */
function foundNoLayout({ operation, status, error }: StepOutcome): boolean {
  return (operation === "updateLayout" || operation === "saveDraft") && status === "failed" && isNotFound(error);
}

/**
 * Returns the base of an unfinished resource. Without a publication, the result is the previous base. After a
 * publication, the members for the content come from the published content. Otherwise the next plan would stage the
 * same field changes again. The server would refuse these changes.
 */
function partialBase(
  base: PlannedResource["base"],
  before: PlannedResource["base"] = {},
  outcomes: readonly StepOutcome[],
): PlannedResource["base"] {
  const isPublished = outcomes.some(({ operation, status }) => operation === "publishLayout" && status === "done");
  if (!isPublished) return before;
  const merged = { ...before };
  for (const name of CONTENT_BASE) {
    delete merged[name];
    if (base[name] !== undefined) merged[name] = base[name];
  }
  return merged;
}

/** The members of a base that belong to the content. They are replaced together. */
const CONTENT_BASE = ["content", "fieldChanges", "assumedChanges", "waitingChanges", "version"] as const;

/**
 * Copies the ids of created records from the journals of interrupted runs to the lock of their target. Some servers do
 * not list these records. Without the ids, the next plan would create the records again. The digests in the lock stay
 * unchanged.
 */
export async function recoverCreatedIds(
  runs: readonly RecordedRun[],
  openLock: (target: string) => Promise<Lock>,
): Promise<void> {
  for (const [target, ofTarget] of Map.groupBy(runs, (run) => run.target)) {
    const created = interruptedRuns(ofTarget).flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.event === "done" && entry.ids["layoutId"] !== undefined ? [entry] : [])),
    );
    if (created.length === 0) continue;
    const lock = await openLock(target);
    for (const { resource, ids } of created) {
      const { formId, layoutId } = ids;
      const base = lock.get(resource)?.base ?? {};
      lock.set(resource, {
        ...(formId !== undefined && { formId }),
        ...(layoutId !== undefined && { layoutId }),
        base,
      });
    }
    await lock.save();
  }
}
