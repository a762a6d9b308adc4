/**
 * Kills a primary and promotes its synchronous replica while two servers write. Every acknowledged write must be on the
 * new primary. Writes must succeed again soon after the promotion.
 */

import { setTimeout } from "node:timers/promises";
import { generator, inFolder, type Loop, type Result } from "./loop.ts";
import { reasonWithoutReplicas, startReplicas } from "./postgres-replicas.ts";
import { BACK_MS, openTeamStore, storedProblems } from "./postgres-stage.ts";
import { startTeam } from "./serve-team.ts";

async function attackAll(count: number, seed: number, isSynchronous: boolean): Promise<Result> {
  const random = generator(seed);
  const violations: string[] = [];
  const facts = { acknowledged: 0, slowest: 0 };
  for (let attack = 0; attack < count; attack++) {
    await inFolder(async (folder) => {
      const cluster = await startReplicas(folder, isSynchronous);
      try {
        const stage = await openTeamStore(folder, cluster.url);
        const team = await startTeam(stage);
        try {
          await Promise.all([team.nextCreation(0), team.nextCreation(1)]);
          // The control stops the process that receives the log on the replica. So the replica lacks the latest writes
          // that the primary acknowledges.
          const lagging = isSynchronous ? undefined : await cluster.receiver();
          if (lagging !== undefined) process.kill(lagging, "SIGSTOP");
          await setTimeout(100 + random(400));
          cluster.killPrimary();
          if (lagging !== undefined) process.kill(lagging, "SIGKILL");
          await cluster.promote();
          const took = await team.nextCreation();
          facts.slowest = Math.max(facts.slowest, Math.round(took));
          if (took > BACK_MS) violations.push(`failover ${attack}: no write for ${Math.round(took)} ms`);
        } finally {
          await team.stop();
        }
        facts.acknowledged += team.acknowledged.size;
        const problems = await storedProblems(stage, team);
        violations.push(...problems.map((problem) => `failover ${attack}: ${problem}`));
      } finally {
        await cluster.stop();
      }
    });
  }
  return { count, violations, facts };
}

export const postgresFailovers: Loop = {
  name: "postgres-failovers",
  full: 10,
  sample: 1,
  skipped: reasonWithoutReplicas,
  run: (count, seed) => attackAll(count, seed, true),
  // With an asynchronous replica, acknowledged writes are lost.
  control: (seed) => attackAll(1, seed, false),
};
