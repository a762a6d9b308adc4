/**
 * Interrupts a saved plan twice, on a service that recognizes no repeated write. The plan must finish, and no record
 * may exist twice.
 */

import { expect, it } from "vitest";
import { FormctlError, hasCode } from "../../src/base/error.ts";
import { readRuns } from "../../src/apply/journal.ts";
import type { Plan } from "../../src/plan/planned.ts";
import { type FullService, mapCalls, ServiceError } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { withNewMutationIds } from "../chaos/blind-service.ts";
import { seeded } from "../../src/base/seeded-random.ts";
import { countOf } from "../effort.ts";
import { type ApplyWorld, CANDIDATE, carryOut, picture, runsFolder, setScene } from "./apply-scene.ts";
import { killAt } from "./kill.ts";

const SEED = 20_261_121;
const RUNS = countOf("interrupted runs of a saved plan");
/** The number of moments of an uninterrupted run, plus the reads with which a resumed run starts. */
const MOMENTS = 134;

/** The service without the ids by which it recognizes repeated writes. */
function forgetful(service: FullService): FullService {
  let writes = 0;
  return withNewMutationIds(service, () => `write ${++writes}`);
}

function withoutLists(service: FullService): FullService {
  const none = () => Promise.reject(new ServiceError(404, { code: "NOT_FOUND", message: "no such endpoint" }));
  return { ...service, listLayouts: none, getLayout: none };
}

async function doubled(service: FullService): Promise<string[]> {
  const forms = (await service.listForms({ ...CANDIDATE, query: { limit: 100 } })).data;
  const layouts = (await service.listLayouts({})).filter(({ target }) => target["formId"] === undefined);
  const names = [...forms, ...layouts].map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) < index);
}

type Scene = ApplyWorld & { service: FullService };

async function inScene<T>(test: (scene: Scene) => Promise<T>): Promise<T> {
  const world = await engineOnSqlite.open();
  try {
    const { service, plan } = await setScene(world);
    return await test({ world, service, plan });
  } finally {
    await world.close();
  }
}

/** Whether a run has completed the plan. A completed plan is not applied again. */
async function isFinished(folder: string): Promise<boolean> {
  return (await readRuns(folder)).at(-1)?.outcome === "done";
}

type Interruption = (moment: number, plan: Plan, run: Parameters<typeof carryOut>[1]) => Promise<boolean>;

/** A refused run has ended too. */
const unlessRefused = (error: unknown) => {
  if (!hasCode(error, "LAYOUT_UNKNOWN")) throw error;
};

/** Kills the process. @returns false if the run ended earlier */
const isKilledAt: Interruption = async (moment, plan, run) => {
  const kill = killAt(moment);
  const service = kill.service(run.service);
  const going = carryOut(plan, { ...run, service, watchJournal: (journal) => kill.journal(journal) }).catch(
    unlessRefused,
  );
  const isKilled = (await Promise.race([going, kill.killed])) === "killed";
  await kill.cleanUp();
  return isKilled;
};

/**
 * The service carries out the request at this moment, and does not answer it. Later requests are not answered either.
 */
const isUnansweredFrom: Interruption = async (moment, plan, run) => {
  let calls = 0;
  const unavailable = () => new ServiceError(503, { code: "HTTP_503", message: "no answer" });
  const dark = mapCalls(run.service, (call, name) => async (input, options) => {
    if (calls++ > moment) throw unavailable();
    const answer = await call(input, options);
    if (calls <= moment) return answer;
    throw /^(get|list)/.test(name)
      ? unavailable()
      : new FormctlError("OUTCOME_UNKNOWN", "the answer was lost", "look", undefined);
  });
  const isDark = () => calls > moment;
  await carryOut(plan, { ...run, service: dark }).catch((error: unknown) => {
    if (!isDark()) unlessRefused(error);
  });
  return isDark();
};

it("finishes with each record once, wherever it was interrupted", async () => {
  const whole = await inScene(async ({ service, plan }) => {
    await carryOut(plan, { service, folder: runsFolder(), isSealed: true });
    return picture(service);
  });
  const random = seeded(SEED);
  const wrong: unknown[] = [];
  let interruptions = 0;
  for (let run = 0; run < RUNS; run++) {
    const kind = random.pick(["killed", "unanswered"]);
    // Only a kill counts the entries of the journal as moments.
    // A resumed run sends only what is left, so it is interrupted earlier.
    const moments = [1, 2].map((part) => random.int((kind === "killed" ? MOMENTS : MOMENTS / 4) / part));
    await inScene(async ({ service, plan }) => {
      const options = { service: forgetful(service), folder: runsFolder(), isSealed: true };
      const interrupt = kind === "killed" ? isKilledAt : isUnansweredFrom;
      let isLeft = true;
      for (const moment of moments) {
        if (isLeft && (await interrupt(moment, plan, options))) interruptions++;
        isLeft &&= !(await isFinished(options.folder));
      }
      const last = !isLeft
        ? []
        : await carryOut(plan, options).then(
            ({ outcomes }) => outcomes.filter(({ status }) => status !== "done"),
            (error: unknown) => [error],
          );
      const twice = await doubled(service);
      if (last.length > 0 || twice.length > 0) wrong.push({ kind, moments, last, twice });
      else if (JSON.stringify(await picture(service)) !== JSON.stringify(whole))
        wrong.push({ kind, moments, ends: "otherwise" });
    });
  }
  process.stderr.write(`interrupted twice: seed ${SEED}, ${RUNS} runs, ${interruptions} interruptions\n`);
  expect(wrong).toEqual([]);
  expect(interruptions).toBeGreaterThan(RUNS * 1.5);
});

it("asks the user where the server lists no layouts, and creates none twice", async () => {
  const random = seeded(SEED);
  const wrong: unknown[] = [];
  const runs = countOf("interrupted runs without lists");
  let asked = 0;
  for (let run = 0; run < runs; run++) {
    await inScene(async ({ service, plan }) => {
      const card = { resources: plan.resources.filter(({ address }) => address === "CONTRACTOR/Card") };
      const options = { service: withoutLists(forgetful(service)), folder: runsFolder(), isSealed: true };
      const isThere = async () => (await service.listLayouts({})).some(({ name }) => name === "Card");
      let isLeft = true;
      for (const moment of [random.int(20), random.int(20)]) {
        if (isLeft) await isKilledAt(moment, card, options);
        isLeft &&= !(await isFinished(options.folder));
      }
      const ended = isLeft && (await carryOut(card, options).catch((error: unknown) => error));
      if (hasCode(ended, "LAYOUT_UNKNOWN")) {
        asked++;
        const notCreated = [...(ended.hint ?? "").matchAll(/--not-created "([^"]+)"/g)].map(([, layout]) => layout!);
        // If the layout exists, the user creates a new plan instead.
        if (!(await isThere())) await carryOut(card, { ...options, notCreated });
      } else if (ended instanceof Error) wrong.push(ended);
      const twice = await doubled(service);
      if (twice.length > 0 || !(await isThere())) wrong.push({ run, twice });
    });
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(runs / 4);
});

it("finds duplicates if a run ignores the journal (control)", async () => {
  let twice = 0;
  for (const moment of [20, 40, 60]) {
    await inScene(async ({ service, plan }) => {
      const blind = { service: forgetful(service) };
      await isKilledAt(moment, plan, { ...blind, folder: runsFolder() });
      await carryOut(plan, { ...blind, folder: runsFolder() });
      twice += (await doubled(service)).length;
    });
  }
  expect(twice).toBeGreaterThan(0);
});
