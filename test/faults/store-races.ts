/**
 * Races of 2 to 8 callers on the connections of a database. After each race:
 * - In some serial order of the requests, the model must give the same answers and leave the same records.
 * - The invariants of the store must hold.
 *
 * A stopped caller is simulated: it continues after all other callers have ended. Other loops test kills and signals.
 */

import { type Place, sqlite } from "../model-checks/databases.ts";
import { withProcesses } from "../model-checks/processes.ts";
import { RACES } from "../model-checks/race-kinds.ts";
import {
  isFailure,
  ofRequests,
  ofRevocation,
  type RaceOptions,
  type RaceReport,
  runRaces,
} from "../model-checks/run-races.ts";
import { type PostgresDatabases, withPostgres } from "../model-checks/postgres-databases.ts";
import { tornPostgres } from "../model-checks/torn-postgres.ts";
import { type TornKind, tornSqlite } from "../model-checks/torn-store.ts";
import { generator, type Loop, type Result } from "./loop.ts";

/** The invariants that the keys of the schema enforce, even without transactions. */
const KEYED = ["I02", "I05", "I06", "I07", "I10", "I11", "I12", "I14", "I18", "I24", "I26"];

const KINDS = Object.fromEntries(Object.entries(RACES).map(([kind, race]) => [kind, ofRequests(race)]));
const REVOCATION = "a revoked token";

const randomOf = (seed: number) => (index: number) => generator(seed + index * 7919);

async function runKinds(
  place: Place,
  seed: number,
  options: Omit<RaceOptions, "newRandom">,
): Promise<Map<string, RaceReport>> {
  const reports = new Map<string, RaceReport>();
  for (const [kind, run] of Object.entries(KINDS))
    reports.set(kind, await runRaces(place, kind, run, { newRandom: randomOf(seed), ...options }));
  return reports;
}

/** From this number of races on, some requests of each kind must be accepted and some refused. */
const ENOUGH = 20;

/** The number of processes that use a database at the same time. */
const PROCESSES = 3;

/**
 * Returns the places with transactions and keys, each with the number of its races. Races in several processes and with
 * serializable transactions take longer, so there are fewer of them.
 */
function placesOf(postgres: PostgresDatabases | undefined, inProcesses: (place: Place) => Place, count: number) {
  const few = Math.ceil(count / 5);
  const places: [place: Place, count: number][] = [
    [sqlite, count],
    [inProcesses(sqlite), few],
  ];
  if (postgres)
    places.push([postgres.shared, count], [inProcesses(postgres.shared), few], [postgres.serializable, few]);
  return places;
}

/** Returns the databases without transactions, keys or both, as `kind` specifies. */
function tornPlaces(postgres: PostgresDatabases | undefined, kind: TornKind, seed: number): Place[] {
  const onSqlite = tornSqlite(kind, generator(seed));
  return postgres ? [onSqlite, tornPostgres(postgres, kind, generator(seed))] : [onSqlite];
}

const violationsOf = (reports: ReadonlyMap<string, RaceReport>) =>
  [...reports.values()].flatMap((report) => report.violations);

const isInvariant = (line: string) => /: I\d+ of /.test(line);
const breaks = (line: string, id: string) => line.includes(`: ${id} of `);

async function runOn(
  postgres: PostgresDatabases | undefined,
  { count, seed }: { count: number; seed: number },
  inProcesses: (place: Place) => Place,
): Promise<Result> {
  const violations: string[] = [];
  const facts: Record<string, number> = {};
  for (const [place, times] of placesOf(postgres, inProcesses, count)) {
    const reports = await runKinds(place, seed, { count: times });
    const how = { count: times, newRandom: randomOf(seed) };
    for (const [kind, report] of reports.set(REVOCATION, await runRaces(place, REVOCATION, ofRevocation(true), how))) {
      violations.push(...report.violations);
      facts[`${place.name}: ${kind}: accepted`] = report.accepted;
      facts[`${place.name}: ${kind}: refused`] = report.refused;
      const isIdle = times >= ENOUGH && (report.accepted === 0 || report.refused === 0);
      if (isIdle) violations.push(`${kind} on ${place.name}: the callers do not meet, so the races prove nothing`);
    }
  }
  const few = Math.ceil(count / 20);
  // Without keys, transactions alone must prevent all violations. So a violation of the control comes from the missing
  // transactions.
  for (const place of tornPlaces(postgres, { torn: false, keyless: true }, seed))
    violations.push(...violationsOf(await runKinds(place, seed, { count: few })));
  // Without transactions, the keys alone must enforce their rules. Other rules are violated.
  for (const place of tornPlaces(postgres, { torn: true, keyless: false }, seed)) {
    const broken = violationsOf(await runKinds(place, seed, { count: few }));
    violations.push(...broken.filter((line) => KEYED.some((id) => breaks(line, id))));
    facts[`${place.name} broken rules without a key`] = broken.length;
  }
  return { count, violations, facts };
}

/**
 * The control. These violations must occur:
 * - in each kind of race, without transactions and keys
 * - on each database without transactions and keys, of at least one rule that a key enforces
 * - on PostgreSQL with transactions and keys, without the lock of the organization
 * - in the race of a revoked token, if the token stays valid
 */
async function controlOn(postgres: PostgresDatabases | undefined, seed: number): Promise<string[]> {
  const all: string[] = [];
  for (const place of tornPlaces(postgres, { torn: true, keyless: true }, seed)) {
    const torn = await runKinds(place, seed, { count: 10, isEnough: (lines) => lines.some(isInvariant) });
    const found = violationsOf(torn);
    const isMissed = [...torn.values()].some((report) => report.violations.every(isFailure));
    if (isMissed || !["I05", "I06", "I07", "I12"].some((id) => found.some((line) => breaks(line, id)))) return [];
    all.push(...found);
  }
  if (postgres) {
    const unordered = await runKinds(postgres.unordered, seed, { count: 10, isEnough: () => true });
    if (violationsOf(unordered).every(isFailure)) return [];
    all.push(...violationsOf(unordered));
  }
  const how = { count: 3, newRandom: randomOf(seed) };
  const { violations } = await runRaces(sqlite, REVOCATION, ofRevocation(false), how);
  return violations.every(isFailure) ? [] : [...all, ...violations];
}

export const storeRaces: Loop = {
  name: "store-races",
  full: 500,
  sample: 2,
  run: (count, seed) =>
    withPostgres((postgres) =>
      withProcesses(PROCESSES, (inProcesses) => runOn(postgres, { count, seed }, inProcesses)),
    ),
  async control(seed) {
    const violations = await withPostgres((postgres) => controlOn(postgres, seed));
    return { count: violations.length, violations, facts: {} };
  },
};
