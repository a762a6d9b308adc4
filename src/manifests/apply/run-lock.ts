/** One run at a time in a folder. */

import { heldError, type Hold, hold, type Processes } from "../../disk/hold.ts";

/**
 * @param spent as `hold` has it
 * @throws RUN_IN_PROGRESS, and what `hold` throws
 */
export async function takeRunLock(
  folder: string,
  processes: Processes,
  spent?: (file: string) => number | undefined,
): Promise<Hold> {
  const taken = await hold(folder, "lock", processes, spent);
  if ("holder" in taken) throw heldError("RUN_IN_PROGRESS", "another apply is at work in this folder", taken);
  return taken;
}
