/** Records in the lock which aspects of resources are in sync. */

import type { Lock } from "../lock.ts";
import type { Plan } from "../plan/planned.ts";

/**
 * Records the aspects that are in sync, so that a later run knows which side changed. Ignores errors of writing the
 * lock, because the project folder may be read-only. Keeps entries that a concurrent apply has recorded.
 */
export async function recordInSync({ resources }: Plan, lock: Lock): Promise<void> {
  for (const { address, action, subject, drift, base, formId, layoutId } of resources) {
    if ((action !== "update" && action !== "none") || layoutId === undefined) continue;
    const before = lock.get(address);
    // Applying the rename will move the entry of the former name. Until then, nothing is recorded under the new name.
    if (!before && subject.formerName !== undefined) continue;
    const same = Object.keys(drift).filter((aspect) => drift[aspect] === "same");
    if (same.length === 0) continue;
    // Members of the base that are not aspects, such as fieldChanges, belong to the content.
    const isInSync = (name: string) => (name in drift ? same.includes(name) : same.includes("content"));
    const merged = [
      ...Object.entries(before?.base ?? {}).filter(([name]) => !isInSync(name)),
      ...Object.entries(base).filter(([name]) => isInSync(name)),
    ];
    lock.set(address, { ...(formId !== undefined && { formId }), layoutId, base: Object.fromEntries(merged) });
  }
  await lock.save("theirs").catch(() => undefined);
}
