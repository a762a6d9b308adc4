/** One run at a time in a folder. */

import { Held, type Hold, hold, type HeldBy, type Processes } from "../../disk/hold.ts";

/** Another run is at work in the same folder: exit 6. */
export class RunInProgress extends Held {
  override readonly name = "RunInProgress";

  constructor(by: HeldBy) {
    super("another apply is at work in this folder", by);
  }
}

/**
 * @param spent as `hold` has it
 * @throws RunInProgress, and what `hold` throws
 */
export async function takeRunLock(
  folder: string,
  processes: Processes,
  spent?: (file: string) => number | undefined,
): Promise<Hold> {
  const taken = await hold(folder, "lock", processes, spent);
  if ("holder" in taken) throw new RunInProgress(taken);
  return taken;
}
