/** One run at a time in a folder. */

import type { Processes } from "../../host.ts";
import { lockedError, type ProcessLock, takeLock } from "../../disk/process-lock.ts";

/**
 * @param spent as `takeLock` has it
 * @throws RUN_IN_PROGRESS, and what `takeLock` throws
 */
export async function takeRunLock(
  folder: string,
  processes: Processes,
  spent?: (file: string) => number | undefined,
): Promise<ProcessLock> {
  const taken = await takeLock(folder, "lock", processes, spent);
  if ("holder" in taken) throw lockedError("RUN_IN_PROGRESS", "another apply is running in this folder", taken);
  return taken;
}
