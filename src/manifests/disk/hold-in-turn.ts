/** What many processes do at times and shortly, as writing the lock file: one after the other. */

import { Held, type Hold, hold, type Processes } from "./hold.ts";
import { makeMachineFolder } from "./machine-folder.ts";

/** Who waits, and how. */
export type Turns = {
  processes: () => Promise<Processes>;
  /** Milliseconds. */
  sleep: (milliseconds: number) => Promise<void>;
};

const PAUSE_MS = 20;
/** Together ten seconds, which is a thousand times what it takes. */
const TRIES = 500;

/** @throws Held where another process does not let go; UnfitFile and UnwritableFile of the folder */
export async function waitToHold(folder: string, { processes, sleep }: Turns): Promise<Hold> {
  await makeMachineFolder(folder);
  const who = await processes();
  for (let tries = 1; ; tries++) {
    const taken = await hold(folder, "turn", who);
    if (!("holder" in taken)) return taken;
    if (tries === TRIES) throw new Held("another formctl is writing .formctl/lock.json", taken);
    await sleep(PAUSE_MS);
  }
}
