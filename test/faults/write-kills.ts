/**
 * Kills an operation at each system call that changes a file. The store must have all records of the operation or none.
 */

import { generator, inFolder, type Loop, type Result, shuffle } from "./loop.ts";
import { reasonWithoutStrace } from "./strace.ts";
import { attackPoint, CARELESS, findPoints, OPERATIONS, setStage } from "./write-points.ts";

async function attackAll(count: number, seed: number, operations: typeof OPERATIONS): Promise<Result> {
  return inFolder(async (folder) => {
    const stage = await setStage(folder, operations);
    const points = await findPoints(stage);
    const facts = { points: points.length, killed: 0, before: 0, after: 0 };
    const violations: string[] = [];
    const chosen = shuffle(points, generator(seed)).slice(0, count);
    for (const point of chosen) {
      const { scene, operation, call, number } = point;
      const complain = (what: string) =>
        violations.push(`"${operation}" on a ${scene} store, killed at ${call} ${number}: ${what}`);
      const { state, isKilled, isAcknowledged, broken } = await attackPoint(stage, point, { effect: "signal=KILL" });
      if (isKilled) facts.killed++;
      if (state === "torn") complain(broken.join(", ") || "only a part is stored");
      else facts[state]++;
      if (isAcknowledged && state === "before") complain("an acknowledged write is lost");
    }
    if (facts.killed === 0 || facts.before === 0 || facts.after === 0)
      throw new Error("no kill was before a commit, or none was after one: the attack proves nothing");
    return { count: chosen.length, violations, facts };
  });
}

export const writeKills: Loop = {
  name: "write-kills",
  full: Infinity,
  sample: 16,
  skipped: reasonWithoutStrace,
  run: (count, seed) => attackAll(count, seed, OPERATIONS),
  control: (seed) => attackAll(24, seed, CARELESS),
};
