/** Runs races of each kind on a database. After each race, checks the order of the answers and the invariants. */

import { type Clock, EngineTarget } from "./engine-target.ts";
import type { Place } from "./databases.ts";
import { type Race, type Random, Scene } from "./races.ts";
import { raceRevocation } from "./token-race.ts";

export type RaceReport = { violations: string[]; accepted: number; refused: number };

/** The number of connections. Each actor uses one connection. */
const CONNECTIONS = 4;
/** The number of races that share a database. */
const SHARED = 20;

/**
 * Runs one race in a new pair of organizations. @returns the violations, and the numbers of accepted and refused
 * requests
 */
type Run = (world: World, index: number, random: Random) => Promise<RaceReport>;

/** A race of requests: its answers and records must have a serial order. */
export const ofRequests =
  (race: Race): Run =>
  async ({ clock, target }, index, random) => {
    const scene = new Scene(target, await target.addPair(String(index), ["north"]), clock);
    const { found, sent } = await scene.run(await race(scene, random), random);
    const refused = sent.filter(({ outcome }) => outcome?.refusal).length;
    return { violations: found === undefined ? [] : [found], accepted: sent.length - refused, refused };
  };

/** A race of requests with a token that is revoked. In the control, the token stays valid. */
export const ofRevocation =
  (isRevoked: boolean): Run =>
  ({ target }, index, random) =>
    raceRevocation(target, String(index), random, isRevoked);

export type RaceOptions = {
  count: number;
  /** Returns the random numbers of a race by its index. So each race can be repeated alone. */
  newRandom: (index: number) => Random;
  /** Whether these violations end the run. Called only with at least one violation. Default: the run continues */
  isEnough?: (violations: readonly string[]) => boolean;
};

const FAILED = "failed: ";

/** Whether a violation is the error of a race. A control must find others: an error may have another cause. */
export const isFailure = (violation: string) => violation.includes(`: ${FAILED}`);

/** The number of databases on which a race runs at the same time. A race mostly waits. */
const LANES = 3;

/** Runs a race many times, and checks the invariants of the database after each time. */
export async function runRaces(place: Place, kind: string, run: Run, options: RaceOptions): Promise<RaceReport> {
  const lanes = Array.from({ length: LANES }, (_, lane) => runLane(place, kind, run, { ...options, lane }));
  const reports = await Promise.all(lanes);
  return {
    violations: reports.flatMap((report) => report.violations),
    accepted: reports.reduce((sum, report) => sum + report.accepted, 0),
    refused: reports.reduce((sum, report) => sum + report.refused, 0),
  };
}

/** Runs every third race (see `LANES`). Begins with the race that has the index `lane`. */
async function runLane(
  place: Place,
  kind: string,
  run: Run,
  { count, newRandom, isEnough = () => false, lane }: RaceOptions & { lane: number },
): Promise<RaceReport> {
  const report: RaceReport = { violations: [], accepted: 0, refused: 0 };
  let world: World | undefined;
  let races = 0;
  for (let index = lane; index < count; index += LANES) {
    world ??= await openWorld(place);
    races++;
    // Only a fault of the service ends a race with an error. The other races still run.
    const { violations, accepted, refused } = await run(world, index, newRandom(index)).catch((error: unknown) => ({
      violations: [`${FAILED}${String(error)}`],
      accepted: 0,
      refused: 0,
    }));
    const broken = [...violations, ...(await world.target.check())];
    report.violations.push(...broken.map((violation) => `${kind}, race ${index} on ${place.name}: ${violation}`));
    report.accepted += accepted;
    report.refused += refused;
    // A broken database would fail the next races too.
    if (races % SHARED !== 0 && broken.length === 0) continue;
    await world.close();
    world = undefined;
    if (report.violations.length > 0 && isEnough(report.violations)) break;
  }
  await world?.close();
  return report;
}

type World = { clock: Clock; target: EngineTarget; close: () => Promise<void> };

async function openWorld({ name, open }: Place): Promise<World> {
  const clock: Clock = { now: new Date("2026-03-02T09:00:00.000Z") };
  const database = await open(CONNECTIONS);
  return { clock, target: new EngineTarget(name, database, clock), close: database.close };
}
