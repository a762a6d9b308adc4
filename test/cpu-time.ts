/** How long work keeps this process busy, whatever else the machine does. */

/**
 * @param runs how often the work is done: the quickest run counts, the others were disturbed
 * @returns milliseconds of processor time
 */
export async function cpuTime(work: () => unknown, runs = 3): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
