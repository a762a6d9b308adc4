/**
 * Races of 2 to 8 callers on the connections of a database. The answers must have a serial order in the model, which
 * also leaves the same records, and the invariants of the store must hold after each race. A caller that is stopped is
 * one that continues after the others have ended; kills and signals are in other loops.
 */

import { type Place, sqlite } from "../model-checks/places.ts";
import { RACES } from "../model-checks/race-kinds.ts";
import { ofRequests, ofRevocation, type RaceReport, runRaces } from "../model-checks/run-races.ts";
import { tornSqlite } from "../model-checks/torn-store.ts";
import { generator, type Loop, type Result } from "./loop.ts";

const places: readonly Place[] = [sqlite];

/** The invariants that the keys of the schema enforce, even if the writes of callers mix. */
const KEYED = ["I02", "I05", "I06", "I07", "I10", "I11", "I12", "I14", "I18", "I24", "I26"];

const KINDS = Object.fromEntries(Object.entries(RACES).map(([kind, race]) => [kind, ofRequests(race)]));
const REVOCATION = "C8 a revoked token";

/** The random numbers of each race. */
const randomOf = (seed: number) => (index: number) => generator(seed + index * 7919);

async function runKinds(place: Place, count: number, seed: number): Promise<Map<string, RaceReport>> {
  const reports = new Map<string, RaceReport>();
  for (const [kind, run] of Object.entries(KINDS))
    reports.set(kind, await runRaces(place, kind, run, { count, newRandom: randomOf(seed) }));
  return reports;
}

async function runAll(count: number, seed: number): Promise<Result> {
  const violations: string[] = [];
  const facts: Record<string, number> = { databases: places.length, kinds: Object.keys(KINDS).length + 1 };
  for (const place of places) {
    const reports = await runKinds(place, count, seed);
    const revocation = await runRaces(place, REVOCATION, ofRevocation(true), { count, newRandom: randomOf(seed) });
    for (const [kind, report] of reports.set(REVOCATION, revocation)) {
      violations.push(...report.violations);
      facts[`${kind} accepted`] = (facts[`${kind} accepted`] ?? 0) + report.accepted;
      facts[`${kind} refused`] = (facts[`${kind} refused`] ?? 0) + report.refused;
      const isIdle = report.accepted === 0 || report.refused === 0;
      if (isIdle) violations.push(`${kind} on ${place.name}: the callers do not meet, so the races prove nothing`);
    }
  }
  const few = Math.ceil(count / 10);
  // Without keys, but with transactions, nothing may go wrong: the control below is about the transactions.
  const serial = await runKinds(tornSqlite({ torn: false, keyless: true }, generator(seed)), few, seed);
  violations.push(...[...serial.values()].flatMap((report) => report.violations));
  // Without transactions, the keys alone must enforce their rules.
  const keyed = await runKinds(tornSqlite({ torn: true, keyless: false }, generator(seed)), few, seed);
  const found = [...keyed.values()].flatMap((report) => report.violations);
  violations.push(...found.filter((line) => KEYED.some((id) => line.includes(`: ${id} of `))));
  facts["without transactions, with keys: broken rules without a key"] = found.length;
  return { count, violations, facts };
}

export const storeRaces: Loop = {
  name: "store-races",
  full: 500,
  sample: 4,
  run: runAll,
  /** Without transactions and keys, each kind of race must break something, and the keyed rules too. */
  async control(seed) {
    const torn = await runKinds(tornSqlite({ torn: true, keyless: true }, generator(seed)), 12, seed);
    const [sqliteStore] = places;
    const how = { count: 4, newRandom: randomOf(seed) };
    torn.set(REVOCATION, await runRaces(sqliteStore!, REVOCATION, ofRevocation(false), how));
    const violations = [...torn.values()].flatMap((report) => report.violations);
    const isFound = (id: string) => violations.some((line) => line.includes(`: ${id} of `));
    const missed = [...torn.values()].some((report) => report.violations.length === 0);
    const areKeysNeeded = ["I05", "I06", "I07", "I12"].every(isFound);
    const facts = { kinds: torn.size };
    return { count: violations.length, violations: missed || !areKeysNeeded ? [] : violations, facts };
  },
};
