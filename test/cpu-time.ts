/** Measures the processor time of this process. The load of the machine hardly affects processor time. */

/**
 * @param runs the number of runs. The quickest run counts, because other work may disturb a run
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

/**
 * Returns the result of one piece of work, and its processor time in milliseconds. The time excludes waiting for a busy
 * machine.
 */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; busy: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, busy: (user + system) / 1000 };
}
