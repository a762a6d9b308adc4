/** Tests the client on a faulty connection: each reported outcome matches the actual outcome. */

import { expect, it } from "vitest";
import { countOf } from "../effort.ts";
import { type Chaos, cutAnswer, FRAMINGS } from "./faults.ts";
import { operationRow } from "../../src/schemas/operations.ts";
import { openChaos, playSeeds } from "./scene.ts";
import { playScript, type Report } from "./write-script.ts";

const RUNS = countOf("chaos runs");
const SEED = 20_260_302;
const seeds = (count: number) => Array.from({ length: count }, (_, run) => SEED + run);

const lies = (reports: readonly Report[]) => reports.filter(({ lie }) => lie !== undefined);

it(`reports the truth in ${RUNS} runs (seed ${SEED})`, async () => {
  const played = await playSeeds(seeds(RUNS), (scene, seed) => playScript(scene, `run ${seed}`));
  const { reports, requests, faults, violations } = played;
  expect(lies(reports)).toEqual([]);
  const count = (code: string) => reports.filter(({ told }) => told === code).length;
  process.stderr.write(
    `chaos: seed ${SEED}, ${RUNS} runs, ${reports.length} writes, ${requests} requests, ${faults} faults; ` +
      `${count("0")} acknowledged, ${count("OUTCOME_UNKNOWN")} unknown\n`,
  );
  // There were many faults, and most writes succeeded in spite of them.
  expect(faults).toBeGreaterThan(RUNS);
  expect(count("OUTCOME_UNKNOWN")).toBeGreaterThan(0);
  expect(count("0")).toBeGreaterThan(reports.length * 0.7);
  expect(violations).toEqual([]);
});

it("detects a client that retries every write", async () => {
  const { reports } = await playSeeds(seeds(40), (scene, seed) =>
    playScript({ ...scene, client: scene.blind }, `blind ${seed}`),
  );
  const found = lies(reports).map(({ lie }) => lie);
  expect(found.some((lie) => lie?.includes("done 2 times"))).toBe(true);
});

/**
 * @returns a function that plays the script with a fault at the first request of each write. No other request has a
 * fault
 */
async function openSweep(): Promise<(chaos: Chaos) => Promise<Report[]>> {
  let armed = false;
  let played = 0;
  const scene = await openChaos();
  /** Whether a request is the first one of its write. */
  const isFirst = (isRead: boolean) => {
    const isTurn = armed && !isRead;
    if (isTurn) armed = false;
    return isTurn;
  };
  const client = Object.fromEntries(
    Object.entries(scene.client).map(([name, call]) => [
      name,
      (input: never) => {
        armed = true;
        return (call as (input: never) => Promise<unknown>)(input);
      },
    ]),
  ) as unknown as typeof scene.client;
  return ({ served, network }) => {
    scene.server.set({
      ...(served && { served: (name) => (isFirst(operationRow(name).method === "GET") ? served(name) : undefined) }),
      ...(network && {
        network: (request) => (isFirst(request.toString("latin1", 0, 3) === "GET") ? network(request) : undefined),
      }),
    });
    return playScript({ ...scene, client }, `swept ${++played}`);
  };
}

/** Longer than the longest request and the longest answer, in bytes. */
const REQUEST = 768;
const ANSWER = 2048;
/** The number of bytes between two cuts. */
const STEP = ANSWER / countOf("cuts of an answer");
const everyPoint = (end: number) => Array.from({ length: end / STEP + 1 }, (_, index) => index * STEP);

it.each([true, false])(
  `reports every write correctly, cut at every ${STEP}th byte of its request (reset %s)`,
  async (reset) => {
    const play = await openSweep();
    let reports: Report[] = [];
    for (const at of everyPoint(REQUEST)) {
      reports = await play({ network: () => ({ kind: "cutRequest", at, reset }) });
      expect(lies(reports)).toEqual([]);
    }
    // The last cut is after the end of the request. Without a reset, the request arrives, and only its answer is lost.
    expect(reports.filter(({ effects }) => !reset && effects !== 1)).toEqual([]);
  },
);

it.each(FRAMINGS)(
  `reports the truth of every write, cut at every ${STEP}th byte of its answer (%s)`,
  async (framing) => {
    const play = await openSweep();
    let reports: Report[] = [];
    for (const at of everyPoint(ANSWER)) {
      const reset = (at / STEP) % 2 === 1;
      reports = await play({ served: () => cutAnswer(at, reset, framing) });
      expect(lies(reports)).toEqual([]);
    }
    // The last cut is after the end of the answer, so nothing is lost.
    expect(reports.filter(({ told }) => told !== "0")).toEqual([]);
  },
);
