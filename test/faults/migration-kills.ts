/**
 * Kills `migrate run` at a random moment. The next run must end with exit code 0. Each effect must happen exactly once.
 * The record must state what was done.
 */

import { generator, inFolder, type Loop, type Result } from "./loop.ts";
import {
  differences,
  forgetEntries,
  lostAnswers,
  makeWorlds,
  migrate,
  NAMES,
  pictureOf,
  type Place,
  readEntries,
} from "./migration-world.ts";

async function attackAll(count: number, seed: number, forgets: boolean): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const { inWorld, undisturbed } = makeWorlds(folder);
    const violations: string[] = [];
    const facts = { beforeWork: 0, inWork: 0, afterWork: 0, store: 0, server: 0 };
    for (let kill = 0; kill < count; kill++) {
      const place: Place = forgets || kill % 2 === 0 ? "store" : "server";
      const whole = await undisturbed(place);
      await inWorld(place, async (world) => {
        // The delay of nine of ten kills begins with the work of the process, so they come while it works, even if its
        // start is slow. The delay of the other kills begins with the start of the process.
        const after = random(10) === 0 ? "start" : "work";
        const delay = random(Math.ceil(whole.worked * (after === "start" ? 3 : 1)));
        await migrate(world, { after, delay });
        const entries = await readEntries(world);
        const isDone = entries.length === NAMES.length && entries.every(({ state }) => state === "done");
        facts[entries.length === 0 ? "beforeWork" : isDone ? "afterWork" : "inWork"]++;
        facts[place]++;
        if (forgets) await forgetEntries(world);
        const { code, stderr } = await migrate(world);
        const wrong =
          code === 0
            ? [...differences(await pictureOf(world), whole.picture), ...(await lostAnswers(world))]
            : [`the next run ends with ${code}: ${stderr.slice(-600)}`];
        for (const { invariant, record, detail } of await world.local.check())
          wrong.push(`${invariant} ${record} ${detail}`);
        violations.push(...wrong.map((line) => `kill ${kill} on a ${place}, ${delay} ms after the ${after}: ${line}`));
      });
    }
    if (facts.inWork === 0) violations.push("no kill hit the work: the attack proves nothing");
    return { count, violations, facts };
  });
}

export const migrationKills: Loop = {
  name: "migration-kills",
  full: 300,
  sample: 8,
  run: (count, seed) => attackAll(count, seed, false),
  // The control deletes the entries of the record after the kill, so steps run twice.
  control: (seed) => attackAll(6, seed, true),
};
