/**
 * Tests the whole program on a faulty connection. Exit codes match the outcomes, both in this process and as separate
 * processes.
 */

import { expect, it } from "vitest";
import { newCanary } from "../canary.ts";
import { openCli } from "../commands/cli.ts";
import { emptyHome, formctl } from "../e2e/program.ts";
import { countOf } from "../effort.ts";
import { type ChaosScene, openChaos, type Played, playSeeds } from "./scene.ts";
import { type Type, typeScript } from "./program-script.ts";

const SEED = 20_260_302;
const seeds = (first: number, count: number) => Array.from({ length: count }, (_, run) => SEED + first + run);

const RUNS_INSIDE = countOf("chaos command lines");
const RUNS_AS_PROCESSES = countOf("chaos command lines as processes");

/** Runs command lines in this process. The pauses of the program take no time. */
async function inside({ server, token }: ChaosScene): Promise<Type> {
  const cli = await openCli(null);
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: token };
  cli.clock = {
    get now() {
      return new Date();
    },
  };
  return (words, stdin) => {
    cli.stdin = stdin;
    return cli.run(...words, "--timeout", "2");
  };
}

/** Runs command lines as processes, like an installed program. */
function asProcess({ server, token }: ChaosScene): Type {
  const home = emptyHome();
  const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: token };
  return (words, input) => formctl([...words, "--timeout", "10"], { home, env, input });
}

/** Plays the script once for each seed. A scene keeps its `Type` for all its seeds. */
function typed(all: readonly number[], open: (scene: ChaosScene) => Type | Promise<Type>): Promise<Played> {
  const types = new Map<ChaosScene, Type | Promise<Type>>();
  return playSeeds(all, async (scene, seed) => {
    if (!types.has(scene)) types.set(scene, open(scene));
    return typeScript(scene, await types.get(scene)!, `run-${seed}`);
  });
}

const lies = ({ reports }: Played) => reports.filter(({ lie }) => lie !== undefined);
const count = ({ reports }: Played, code: string) => reports.filter(({ told }) => told === code).length;

const exits = ({ reports }: Played) =>
  Object.fromEntries(
    [...Map.groupBy(reports, ({ exitCode }) => exitCode)].map(([code, those]) => [code, those.length]),
  );

/** Prints the numbers of attempts, and checks that there were enough faults and enough successes. */
function report(played: Played, what: string): void {
  const { reports, requests, faults } = played;
  process.stderr.write(
    `chaos: seed ${SEED}, ${what}: ${reports.length} command lines, ${requests} requests, ${faults} faults; ` +
      `exit codes ${JSON.stringify(exits(played))}, ${count(played, "OUTCOME_UNKNOWN")} unknown outcomes\n`,
  );
  // The bounds are low: on a busy machine, timeouts change the numbers of faults and successes.
  expect(faults).toBeGreaterThan(reports.length / 4);
  expect(count(played, "0")).toBeGreaterThan(reports.length / 5);
}

it(`exits truthfully in ${RUNS_INSIDE} runs (seed ${SEED})`, async () => {
  const played = await typed(seeds(1000, RUNS_INSIDE), inside);
  expect(lies(played)).toEqual([]);
  expect(played.violations).toEqual([]);
  report(played, `${RUNS_INSIDE} runs of the program`);
  expect(count(played, "OUTCOME_UNKNOWN")).toBeGreaterThan(0);
});

it(`exits truthfully in ${RUNS_AS_PROCESSES} runs of processes (seed ${SEED})`, async () => {
  const played = await typed(seeds(2000, RUNS_AS_PROCESSES), asProcess);
  expect(lies(played)).toEqual([]);
  expect(played.violations).toEqual([]);
  report(played, `${RUNS_AS_PROCESSES} runs of processes`);
});

it("catches a program that always exits with 0: the control", async () => {
  const played = await typed(seeds(3000, 10), async (scene) => {
    const type = await inside(scene);
    return async (words, stdin) => ({ ...(await type(words, stdin)), code: 0 });
  });
  expect(lies(played).map(({ lie }) => lie)).toContain("exit 0, and done 0 times (0)");
});

it("exits with 4 for a refused token, and with 7 without a response", async () => {
  const scene = await openChaos();
  const create = ["forms", "create", "staffing/candidate", "--name", "Never", "--types", "VIEW"];
  const stranger = await inside({ ...scene, token: newCanary() });
  expect((await stranger(create, "")).code).toBe(4);
  const type = await inside(scene);
  await scene.server.close();
  expect((await type(create, "")).code).toBe(7);
  expect(await scene.local.log({ limit: 1 })).toEqual([]);
});
