/**
 * Two concurrent processes run the same migrations, from two folders. Exactly one process must carry the migrations
 * out.
 */

import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { generator, inFolder, type Loop, type Result } from "./loop.ts";
import {
  differences,
  type Ended,
  forgetEntries,
  makeWorlds,
  migrate,
  pictureOf,
  type Place,
  type World,
} from "./migration-world.ts";

/** The exit code of a run that finds another run, or a changed record. */
const CONFLICT = 6;
/** The maximum delay of the second process, in milliseconds. */
const LATER = 60;

/** Returns the outcome of a run as text: `done`, `nothing`, `refused`, or an unexpected exit code. */
function outcomeOf({ code, stdout }: Ended): string {
  if (stdout === "") return code === CONFLICT ? "refused" : `exit ${code}`;
  const { outcome } = JSON.parse(stdout) as { outcome: string };
  return code === 0 ? outcome : `exit ${code} and ${outcome}`;
}

async function forgetUntil(ended: AbortSignal, world: World): Promise<void> {
  while (!ended.aborted) {
    await forgetEntries(world).catch(() => undefined);
    await setTimeout(10);
  }
}

async function raceAll(count: number, seed: number, forgets: boolean): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const { inWorld, undisturbed } = makeWorlds(folder);
    const violations: string[] = [];
    const facts = { refused: 0, nothingLeft: 0 };
    for (let race = 0; race < count; race++) {
      const place: Place = race % 2 === 0 ? "store" : "server";
      const { picture } = await undisturbed(place);
      await inWorld(place, async (world) => {
        const other = `${world.folder}-other`;
        cpSync(join(world.folder, "migrations"), join(other, "migrations"), { recursive: true });
        const ended = new AbortController();
        const forgetting = forgets ? forgetUntil(ended.signal, world) : undefined;
        const both = await Promise.all([
          migrate(world),
          setTimeout(random(LATER)).then(() => migrate({ ...world, folder: other })),
        ]);
        ended.abort();
        await forgetting;
        rmSync(other, { recursive: true, force: true });
        const outcomes = both.map(outcomeOf);
        if (outcomes.includes("done") && outcomes.includes("refused")) facts.refused++;
        else if (outcomes.includes("done") && outcomes.includes("nothing")) facts.nothingLeft++;
        else violations.push(`race ${race} on a ${place}: the runs end with ${outcomes.join(" and ")}`);
        for (const line of differences(await pictureOf(world), picture))
          violations.push(`race ${race} on a ${place}: ${line}`);
      });
    }
    if (facts.refused === 0) violations.push("no run met another one: the race proves nothing");
    return { count, violations, facts };
  });
}

export const migrationRaces: Loop = {
  name: "migration-races",
  full: 200,
  sample: 20,
  run: (count, seed) => raceAll(count, seed, false),
  // The control deletes the entries of the record during the runs, so both processes carry migrations out.
  control: (seed) => raceAll(2, seed, true),
};
