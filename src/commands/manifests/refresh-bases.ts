/** What was found to be the same on both sides is kept as such: from then on it can be told who moves first. */

import type { Lock } from "../../manifests/lock.ts";
import type { Plan } from "../../manifests/plan/planned.ts";

/**
 * Aspects that are in sync, and no others, of what is there; nothing is written where nothing is new. Whoever only looks
 * needs no folder that can be written: where the lock can't be kept, it stays as it is, and so does what an apply has kept
 * meanwhile.
 */
export async function refreshBases({ resources }: Plan, lock: Lock): Promise<void> {
  for (const { address, action, subject, drift, base, formId, layoutId } of resources) {
    if ((action !== "update" && action !== "none") || layoutId === undefined) continue;
    const before = lock.get(address);
    // What is known under its former name moves with the rename.
    if (!before && subject.formerName !== undefined) continue;
    const same = Object.keys(drift).filter((aspect) => drift[aspect] === "same");
    if (same.length === 0) continue;
    // What is no aspect of its own belongs to the content, as the changes of fields that it makes.
    const isNew = (name: string) => (name in drift ? same.includes(name) : same.includes("content"));
    const kept = [
      ...Object.entries(before?.base ?? {}).filter(([name]) => !isNew(name)),
      ...Object.entries(base).filter(([name]) => isNew(name)),
    ];
    lock.set(address, { ...(formId !== undefined && { formId }), layoutId, base: Object.fromEntries(kept) });
  }
  await lock.save("theirs").catch(() => undefined);
}
