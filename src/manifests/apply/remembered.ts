/** What runs that were cut off have made, kept where the next plan looks: a server may not list it. */

import { brokenRuns } from "./journal.ts";
import type { RecordedRun } from "./recorded-run.ts";
import type { Lock } from "../lock.ts";

/** Puts the ids of forms and layouts into the lock of the place that they were made in, and leaves its digests. */
export async function rememberMade(
  runs: readonly RecordedRun[],
  openLock: (place: string) => Promise<Lock>,
): Promise<void> {
  for (const [place, of] of Map.groupBy(runs, (run) => run.place)) {
    const made = brokenRuns(of).flatMap(({ lines }) =>
      lines.flatMap((line) => (line.event === "done" && line.ids["layoutId"] !== undefined ? [line] : [])),
    );
    if (made.length === 0) continue;
    const lock = await openLock(place);
    for (const { resource, ids } of made) {
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
