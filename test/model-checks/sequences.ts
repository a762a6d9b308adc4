/** Runs random sequences of requests on the engine with each store, and on the model. Compares every answer. */

import { difference } from "../model/compare.ts";
import { type Clock, EngineTarget, firstState, type Pair } from "./engine-target.ts";
import { answer, type Outcome, type Request } from "../model/model.ts";
import type { State } from "../model/records.ts";
import type { Place } from "./databases.ts";
import { nextRequest } from "../model/requests.ts";

type Random = (limit: number) => number;

/** `refused` counts the refused requests by their code. */
export type Report = { requests: number; replayed: number; refused: Record<string, number> };

/** The number of requests of a sequence. */
const LENGTH = 50;
/**
 * The number of sequences that share a database. The invariants of the database are checked after the last sequence.
 */
const SHARED = 25;

/**
 * Runs `count` sequences.
 *
 * @param newRandom returns the random numbers of a sequence by its index. So each sequence can be repeated alone
 * @param options.stopsAtFirst whether the first violation is enough
 * @returns the counts, and a line for each violation. A violation is the first different answer of a sequence, or a
 *   broken invariant
 */
export async function runSequences(
  places: readonly Place[],
  count: number,
  newRandom: (index: number) => Random,
  { stopsAtFirst = false } = {},
): Promise<{ report: Report; violations: string[] }> {
  const violations: string[] = [];
  const report: Report = { requests: 0, replayed: 0, refused: {} };
  for (let start = 0; start < count; start += SHARED) {
    const clock: Clock = { now: new Date("2026-03-02T09:00:00.000Z") };
    const databases = await Promise.all(places.map((place) => place.open(1)));
    const targets = places.map(({ name }, index) => new EngineTarget(name, databases[index]!, clock));
    for (let index = start; index < Math.min(start + SHARED, count); index++) {
      const found = await runSequence(targets, { index, clock, random: newRandom(index), report });
      if (found !== undefined) violations.push(found);
      if (found !== undefined && stopsAtFirst) break;
    }
    for (const target of targets) violations.push(...(await target.check()));
    for (const database of databases) await database.close();
    if (violations.length > 0 && stopsAtFirst) break;
  }
  return { report, violations };
}

type Sequence = { index: number; clock: Clock; random: Random; report: Report };

/** @returns the first difference, with the last requests before it */
async function runSequence(targets: readonly EngineTarget[], sequence: Sequence): Promise<string | undefined> {
  const { index, clock, random, report } = sequence;
  const pairs = await Promise.all(targets.map((target) => target.addPair(String(index))));
  const state = firstState();
  const sent: Request[] = [];
  let unread: Request | undefined;
  for (let step = 0; step < LENGTH; step++) {
    clock.now = new Date(clock.now.getTime() + (random(150) === 0 ? 8 * 24 * 3_600_000 : 1000));
    state.now = clock.now.toISOString();
    const isRepeated = sent.length > 0 && random(10) === 0;
    const request = unread ?? (isRepeated ? sent[random(sent.length)]! : nextRequest(state, random));
    sent.push(request);
    const expected = answer(state, structuredClone(request));
    record(report, expected);
    unread = layoutToRead(request, expected);
    const found = await compareAll(targets, pairs, request, expected);
    if (found !== undefined) return describe(`sequence ${index}, request ${step}: ${found}`, sent, state);
  }
  return undefined;
}

/**
 * Returns the request that reads the layout of a new form. The answer to the creation does not contain the id of the
 * first draft.
 */
export function layoutToRead({ by, operation }: Request, outcome: Outcome): Request | undefined {
  if (operation !== "createForm" || !outcome.answer) return undefined;
  const { viewLayoutId: layoutId } = outcome.answer as { viewLayoutId: string };
  return { by, isReader: true, operation: "getLayout", input: { layoutId } };
}

/**
 * Sends the request to all targets. Compares each outcome with the outcome of the model, and with the outcome of the
 * first target.
 */
async function compareAll(
  targets: readonly EngineTarget[],
  pairs: readonly Pair[],
  request: Request,
  expected: Outcome,
): Promise<string | undefined> {
  let first: string | undefined;
  for (const [index, { ids, send }] of pairs.entries()) {
    const { name } = targets[index]!;
    const outcome = await send(ids.toService(request));
    const found = difference(expected, outcome, ids);
    if (found !== undefined) return `${name} answers otherwise than the model: ${found}`;
    const text = ids.toModelText(outcome);
    first ??= text;
    if (text !== first) return `${name} answers ${text}, and ${targets[0]!.name} answers ${first}`;
  }
  return undefined;
}

function record(report: Report, { refusal, isReplay }: Outcome): void {
  report.requests++;
  if (isReplay) report.replayed++;
  if (!refusal) return;
  const code = String(refusal["code"]);
  report.refused[code] = (report.refused[code] ?? 0) + 1;
}

function describe(found: string, sent: readonly Request[], { now }: State): string {
  const lines = sent.slice(-6).map(({ by, isReader, operation, input, idempotencyKey }) => {
    const caller = isReader ? `${by} (reader)` : by;
    return `    ${caller} ${operation} ${idempotencyKey ?? ""} ${JSON.stringify(input)}`;
  });
  return [`${found} (at ${now}), after`, ...lines].join("\n");
}
