/** What many processes do at times and shortly, as writing the lock file: one after the other. */

import { heldError, type Hold, hold, type Processes } from "./hold.ts";

/** Who waits, and how. */
export type Turns = {
  processes: () => Promise<Processes>;
  /** Milliseconds. */
  sleep: (milliseconds: number) => Promise<void>;
};

const PAUSE_MS = 20;
/** Together ten seconds, which is a thousand times what it takes. */
const TRIES = 500;

/**
 * @param folder one that is there
 * @param file what is written by the one whose turn it is @param name of the hold
 * @throws FILE_HELD where another process does not let go; FILE_UNFIT and FILE_UNWRITABLE of the folder
 */
export async function waitToHold(
  folder: string,
  { name, file }: { name: string; file: string },
  { processes, sleep }: Turns,
): Promise<Hold> {
  const who = await processes();
  for (let tries = 1; ; tries++) {
    const taken = await hold(folder, name, who);
    if (!("holder" in taken)) return taken;
    if (tries === TRIES) throw heldError("FILE_HELD", `another formctl is writing ${file}`, taken);
    await sleep(PAUSE_MS);
  }
}
