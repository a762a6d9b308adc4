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

/** What one piece of work returns, and how long it keeps this process busy: a busy machine makes it wait, not work. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; busy: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, busy: (user + system) / 1000 };
}
