/** A sealed plan that is interrupted twice, on a service that knows no write again: it ends, and nothing is there twice. */

import { expect, it } from "vitest";
import { FormctlError, hasCode } from "../../src/error.ts";
import type { Plan } from "../../src/manifests/plan/planned.ts";
import { type FullService, ServiceError } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { seeded } from "../chaos/random.ts";
import { type ApplyWorld, CANDIDATE, carryOut, picture, runsFolder, sealed, setScene } from "./apply-scene.ts";
import { deathAt } from "./dying.ts";

/** Another one dies at other moments: INTERRUPTED_SEED=… npx vitest run test/manifests/interrupted.test.ts */
const SEED = Number(process.env["INTERRUPTED_SEED"] ?? 20_261_121);
const RUNS = 60;
/** Moments of a run that nobody harms, and of what it looks at before it goes on. */
const MOMENTS = 144;

/** No id by which a write would be known again reaches it. */
function forgetful(service: FullService): FullService {
  let writes = 0;
  const calls = Object.entries(service).map(([name, call]) => [
    name,
    (input: { body?: Record<string, unknown> }) => {
      const isNamed = input.body?.["clientMutationId"] !== undefined;
      const body = { ...input.body, clientMutationId: `write ${++writes}` };
      return (call as (input: unknown) => Promise<unknown>)(isNamed ? { ...input, body } : input);
    },
  ]);
  return Object.fromEntries(calls) as FullService;
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
    return await test({ world, service, plan: await sealed({ service, plan }) });
  } finally {
    await world.close();
  }
}

type Interruption = (moment: number, plan: Plan, run: Parameters<typeof carryOut>[1]) => Promise<boolean>;

/** A run that was refused has ended, too. */
const unlessRefused = (error: unknown) => {
  if (!hasCode(error, "LAYOUT_UNKNOWN")) throw error;
};

/** The process is killed. @returns false: it had ended before */
const dies: Interruption = async (moment, plan, run) => {
  const death = deathAt(moment);
  const service = death.service(run.service);
  const going = carryOut(plan, { ...run, service, watchJournal: (journal) => death.journal(journal) }).catch(
    unlessRefused,
  );
  const isDead = (await Promise.race([going, death.died])) === "died";
  await death.bury();
  return isDead;
};

/** What is sent at that moment is done and not answered; from then on nobody answers anything. */
const goesDark: Interruption = async (moment, plan, run) => {
  let calls = 0;
  const nobody = () => new ServiceError(503, { code: "HTTP_503", message: "nobody is there" });
  const dark = Object.entries(run.service).map(([name, call]) => [
    name,
    async (...args: unknown[]) => {
      if (calls++ > moment) throw nobody();
      const answer = await (call as (...all: unknown[]) => Promise<unknown>)(...args);
      if (calls <= moment) return answer;
      throw /^(get|list)/.test(name)
        ? nobody()
        : new FormctlError("OUTCOME_UNKNOWN", "the answer was lost", "look", undefined);
    },
  ]);
  const isDark = () => calls > moment;
  await carryOut(plan, { ...run, service: Object.fromEntries(dark) as FullService }).catch((error: unknown) => {
    if (!isDark()) unlessRefused(error);
  });
  return isDark();
};

it("comes to its end with everything there once, wherever it was interrupted", async () => {
  const whole = await inScene(async ({ service, plan }) => {
    await carryOut(plan, { service, folder: runsFolder(), isSealed: true });
    return picture(service);
  });
  const random = seeded(SEED);
  const wrong: unknown[] = [];
  let interruptions = 0;
  for (let run = 0; run < RUNS; run++) {
    const kind = random.pick(["dies", "goes dark"]);
    // The lines of a record are moments of a death only.
    const moments = [0, 0].map(() => random.int(kind === "dies" ? MOMENTS : MOMENTS / 4));
    await inScene(async ({ service, plan }) => {
      const options = { service: forgetful(service), folder: runsFolder(), isSealed: true };
      const interrupt = kind === "dies" ? dies : goesDark;
      let isLeft = true;
      // A plan that has come to its end is not applied again.
      for (const moment of moments) if (isLeft && (isLeft = await interrupt(moment, plan, options))) interruptions++;
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

it("asks a person, where no layouts are listed, and makes none twice", async () => {
  const random = seeded(SEED);
  const wrong: unknown[] = [];
  let asked = 0;
  for (let run = 0; run < 40; run++) {
    await inScene(async ({ service, plan }) => {
      const card = { resources: plan.resources.filter(({ address }) => address === "CONTRACTOR/Card") };
      const options = { service: withoutLists(forgetful(service)), folder: runsFolder(), isSealed: true };
      const isThere = async () => (await service.listLayouts({})).some(({ name }) => name === "Card");
      for (const moment of [random.int(20), random.int(20)]) await dies(moment, card, options);
      const ended = await carryOut(card, options).catch((error: unknown) => error);
      if (hasCode(ended, "LAYOUT_UNKNOWN")) {
        asked++;
        const notCreated = [...(ended.hint ?? "").matchAll(/--not-created "([^"]+)"/g)].map(([, layout]) => layout!);
        // Whoever finds it makes a new plan of what is there.
        if (!(await isThere())) await carryOut(card, { ...options, notCreated });
      } else if (ended instanceof Error) wrong.push(ended);
      const twice = await doubled(service);
      if (twice.length > 0 || !(await isThere())) wrong.push({ run, twice });
    });
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(10);
});

it("catches a run that does not look at what was done before", async () => {
  let twice = 0;
  for (const moment of [20, 40, 60]) {
    await inScene(async ({ service, plan }) => {
      const blind = { service: forgetful(service) };
      await dies(moment, plan, { ...blind, folder: runsFolder() });
      await carryOut(plan, { ...blind, folder: runsFolder() });
      twice += (await doubled(service)).length;
    });
  }
  expect(twice).toBeGreaterThan(0);
});
