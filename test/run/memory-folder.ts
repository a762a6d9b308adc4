/** Finds a folder in memory. It is several times as fast as a disk, for tests that do not depend on a disk. */

import { existsSync, statfsSync } from "node:fs";

const SHARED_MEMORY = "/dev/shm";
/** A container often has 64 MB, which the tests would fill. */
const ENOUGH_BYTES = 2 ** 30;

/** Returns the run's own folder in a test run. Otherwise a folder of the system; undefined if it has too little space. */
export function memoryFolder(): string | undefined {
  const own = process.env["TEST_MEMORY_FOLDER"];
  if (own !== undefined) return own;
  if (!existsSync(SHARED_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize > ENOUGH_BYTES ? SHARED_MEMORY : undefined;
}
