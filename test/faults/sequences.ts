/**
 * Compares the engine on each database with the model (test/model). The model was written only from the API document
 * and docs/decisions.md. The engine and the model must give the same answers to random sequences of 50 requests.
 */

import { FAULTS, withFault } from "../model-checks/faulty-store.ts";
import { type Place, sqlite } from "../model-checks/databases.ts";
import { withPostgres } from "../model-checks/postgres-databases.ts";
import { runSequences } from "../model-checks/sequences.ts";
import { generator, type Loop, type Result } from "./loop.ts";

const randomOf = (seed: number) => (index: number) => generator(seed + index * 7919);

const LONG = 500;
const CONFLICTS = [
  "FORM_IS_DEFAULT",
  "FORM_TYPE_IS_DEFAULT",
  "OBJECT_IS_SUBORDINATE",
  "LAYOUT_FORM_OWNED",
  "DRAFT_INVALID",
  "DRAFT_STALE",
  "DRAFT_MISSING",
  "VERSION_IS_DRAFT",
  "FIELD_CHANGES_UNCONFIRMED",
  "ASSIGNMENT_DEFAULT_TAKEN",
  "IDEMPOTENCY_CONFLICT",
];

function runAll(count: number, seed: number): Promise<Result> {
  return withPostgres((postgres) => runOn([sqlite, ...(postgres ? [postgres.shared] : [])], count, seed));
}

async function runOn(places: readonly Place[], count: number, seed: number): Promise<Result> {
  const { report, violations } = await runSequences(places, count, randomOf(seed));
  const { requests, replayed, refused } = report;
  const refusals = Object.values(refused).reduce((sum, times) => sum + times, 0);
  const share = Math.round((100 * refusals) / requests);
  if (share < 20 || share > 60) violations.push(`${share} % of the requests are refused: the sequences prove little`);
  // A long run must meet every conflict of the service.
  const missing = count < LONG ? [] : CONFLICTS.filter((code) => !refused[code]);
  if (missing.length > 0) violations.push(`no request is refused with ${missing.join(", ")}`);
  const facts = { databases: places.length, requests, replayed, "refused %": share };
  return { count, violations, facts: { ...facts, ...refused } };
}

/** The maximum number of sequences that run with each fault of the control. */
const PATIENCE = 200;

async function firstFound(fault: RegExp, seed: number): Promise<string | undefined> {
  const on = [withFault(sqlite, fault)];
  return (await runSequences(on, PATIENCE, randomOf(seed), { stopsAtFirst: true })).violations[0];
}

export const sequences: Loop = {
  name: "sequences",
  full: 1000,
  sample: 12,
  run: runAll,
  /** If a fault is not found, the control reports no violation, and fails. */
  async control(seed) {
    const violations: string[] = [];
    for (const [rule, fault] of Object.entries(FAULTS)) {
      const found = await firstFound(fault, seed);
      if (found === undefined) return { count: 0, violations: [], facts: {} };
      violations.push(`${rule}: ${found}`);
    }
    return { count: violations.length, violations, facts: {} };
  },
};
