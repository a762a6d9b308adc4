/**
 * Applying a plan. Each step is carried out once, even after interruptions. A failed step stops only its own resource.
 */

import { describe, expect, it } from "vitest";
import { FormctlError, hasCode } from "../../src/base/error.ts";
import { type Journal, recordUnwritable } from "../../src/apply/journal.ts";
import type { Plan } from "../../src/plan/planned.ts";
import { type FullService, mapCalls, ServiceError } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { httpOverSocket } from "../contract/http-providers.ts";
import type { Provider } from "../contract/provider.ts";
import { omittingService } from "../client/omitting-service.ts";
import { countOf } from "../effort.ts";
import {
  type ApplyWorld,
  CANDIDATE,
  carryOut,
  content,
  picture,
  resource,
  runsFolder,
  setScene,
} from "./apply-scene.ts";
import { killAt } from "./kill.ts";

const inWorld = (provider: Provider, test: (world: ApplyWorld) => Promise<void>) => async () => {
  const world = await provider.open();
  try {
    await test(await setScene(world));
    expect(await world.local.check()).toEqual([]);
  } finally {
    await world.close();
  }
};

/** The picture of the scene after its plan was applied without an interruption. */
async function wholePicture(provider: Provider): Promise<unknown> {
  const world = await provider.open();
  const { service, plan } = await setScene(world);
  const { outcomes } = await carryOut(plan, { service, folder: runsFolder() });
  expect(outcomes.filter(({ status }) => status !== "done")).toEqual([]);
  const seen = await picture(service);
  await world.close();
  return seen;
}

function replacing(service: FullService, members: Partial<FullService>): FullService {
  return { ...service, ...members };
}

const refusal = (status: number, code: string, more: object = {}) =>
  new ServiceError(status, { code, message: code, ...more });

/** The number of entries and requests of an apply, before and after each of which it can be killed. */
const MOMENTS = 120;
const KILLS = countOf("moments of a kill");

describe.each([engineOnSqlite, httpOverSocket])("a plan on $name", (provider) => {
  it(
    "creates, updates, publishes, grants access, sets defaults, removes modes and deletes",
    inWorld(provider, async ({ service, plan }) => {
      const { outcomes } = await carryOut(plan, { service, folder: runsFolder() });
      expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "done"));
      expect(outcomes).toHaveLength(plan.resources.flatMap(({ steps }) => steps).length);
      expect(await picture(service)).toMatchObject([
        { form: "Intake", defaults: [true, false, false], usable: ["CREATE"] },
        { form: "Old intake", types: ["VIEW"], config: { title: "Old" }, usable: ["VIEW"] },
        { form: "Profile", defaults: [false, true, true], usable: ["VIEW", "EDIT"], access: { roles: [{}] } },
        { layout: "Card", assignments: [{ isDefault: true }, { priority: 5 }] },
        { layout: "Ops", metadata: { team: "ops" } },
      ]);
    }),
  );

  it(`has the same result after it was killed at ${KILLS} of ${MOMENTS} moments and applied again`, async () => {
    const whole = await wholePicture(provider);
    let moments = Infinity;
    let kills = 0;
    // Over a socket, only every third of these moments is tested: the code is the same, and slower.
    // e2e/apply-kill.test.ts kills processes.
    const stride = (MOMENTS / KILLS) * (provider === engineOnSqlite ? 1 : 3);
    for (let moment = 0; moment < moments; moment += stride) {
      await inWorld(provider, async ({ service, plan }) => {
        const folder = runsFolder();
        const kill = killAt(moment);
        const first = carryOut(plan, {
          service: kill.service(service),
          folder,
          watchJournal: (journal) => kill.journal(journal),
        });
        if ((await Promise.race([first, kill.killed])) === "killed") kills++;
        else moments = moment;
        await kill.cleanUp();
        const { outcomes } = await carryOut(plan, { service, folder });
        expect({ moment, left: outcomes.filter(({ status }) => status !== "done") }).toEqual({ moment, left: [] });
        expect({ moment, seen: await picture(service) }).toEqual({ moment, seen: whole });
      })();
    }
    expect(kills * stride).toBeGreaterThanOrEqual(MOMENTS - 2);
  });
});

const only = ({ plan }: ApplyWorld, name: string) => ({
  resources: plan.resources.filter(({ address }) => address.endsWith(`/${name}`)),
});

const onEngine = (test: (world: ApplyWorld) => Promise<void>) => inWorld(engineOnSqlite, test);

const statuses = (outcomes: readonly { resource: string; status: string }[]) =>
  Object.fromEntries(
    [...Map.groupBy(outcomes, ({ resource: address }) => address.split("/").at(-1)!)].map(([name, of]) => [
      name,
      of.map(({ status }) => status).join(" "),
    ]),
  );

describe("a failed step", () => {
  it(
    "stops its own resource and no other, and a second run applies the remaining steps",
    onEngine(async ({ service, plan }) => {
      const folder = runsFolder();
      const broken = replacing(service, {
        async publishLayout(input) {
          const { target } = await service.getLayout({ layoutId: input.layoutId });
          const { name } = await service
            .getForm({ ...CANDIDATE, formId: String(target["formId"]) })
            .catch(() => ({ name: "" }));
          if (name === "Intake") throw refusal(403, "FORBIDDEN");
          return service.publishLayout(input);
        },
      });
      const { outcomes } = await carryOut(plan, { service: broken, folder });
      expect(statuses(outcomes)).toEqual({
        Profile: "done done done done done",
        Intake: "done done failed skipped",
        // The modes of "Old intake" are removed after the new form has become the default.
        "Old intake": "done failed skipped skipped",
        // A deletion waits until every form of the object is finished.
        Doomed: "skipped",
        Card: "done done done done",
        Ops: "done",
      });
      const reasonOf = (name: string) =>
        outcomes.find(({ status, resource: address }) => status === "skipped" && address.endsWith(`/${name}`))?.reason;
      expect(reasonOf("Intake")).toBe("publishLayout failed");
      expect(reasonOf("Doomed")).toBe("nothing is deleted until staffing/candidate/Intake is finished");
      const again = await carryOut(plan, { service, folder });
      expect(again.outcomes.every(({ status }) => status === "done")).toBe(true);
      expect(await picture(service)).toEqual(await wholePicture(engineOnSqlite));
    }),
  );

  it(
    "is unknown if it may have been done, and nothing more is sent for its resource",
    onEngine(async (world) => {
      const { service } = world;
      const folder = runsFolder();
      const lost = replacing(service, {
        async createForm(input, options) {
          await service.createForm(input, options);
          throw new FormctlError("OUTCOME_UNKNOWN", "the answer was lost", "look", undefined);
        },
      });
      const plan = only(world, "Profile");
      expect(statuses((await carryOut(plan, { service: lost, folder })).outcomes)).toEqual({
        Profile: "unknown skipped skipped skipped skipped",
      });
      // The second run finds the form, does not create it again, and applies the steps that are left.
      const none = replacing(service, { createForm: () => Promise.reject(refusal(500, "NEVER")) });
      expect(statuses((await carryOut(plan, { service: none, folder })).outcomes)).toEqual({
        Profile: "done done done done",
      });
    }),
  );

  it(
    "overwrites no draft that another user saved after the plan was created",
    onEngine(async (world) => {
      const { service } = world;
      const plan = only(world, "Old intake");
      const { layoutId = "" } = plan.resources[0]!;
      // Without another default form, the mode could not be removed, and the draft would not be saved.
      await service.updateFormDefaults({ ...CANDIDATE, body: { defaultCreateFormId: null } });
      const theirs = await service.saveDraft({
        layoutId,
        body: { clientMutationId: "t", ...content("phone"), schemaVersion: 1 },
      });
      const { outcomes } = await carryOut(plan, { service, folder: runsFolder() });
      expect(statuses(outcomes)["Old intake"]).toBe("done done failed skipped");
      expect(outcomes[2]?.error).toMatchObject({ code: "DRAFT_STALE" });
      expect((await service.listVersions({ layoutId }))[0]?.id).toBe(theirs.draftVersionId);
    }),
  );
});

describe("resuming a plan", () => {
  it(
    "is refused, with the addresses, where another user changed what the first run applied",
    onEngine(async ({ service, plan }) => {
      const folder = runsFolder();
      const broken = replacing(service, { updateFormDefaults: () => Promise.reject(refusal(403, "FORBIDDEN")) });
      await carryOut(plan, { service: broken, folder });
      const { data } = await service.listForms(CANDIDATE);
      const profile = data.find(({ name }) => name === "Profile")!;
      await service.replaceFormAccess({ ...CANDIDATE, formId: profile.id, body: { users: [], roles: [] } });
      const before = await picture(service);
      await expect(carryOut(plan, { service, folder })).rejects.toThrow("staffing/candidate/Profile");
      expect(await picture(service)).toEqual(before);
    }),
  );

  it(
    "is refused, with the ids, where several forms may be the one of an unanswered creation",
    onEngine(async (world) => {
      const { service } = world;
      const folder = runsFolder();
      const lost = replacing(service, {
        createForm: () => Promise.reject(new FormctlError("OUTCOME_UNKNOWN", "the answer was lost", "look", undefined)),
      });
      const plan = only(world, "Profile");
      await carryOut(plan, { service: lost, folder });
      const body = { name: "Profile", types: ["EDIT" as const, "VIEW" as const] };
      const [one, other] = [
        await service.createForm({ ...CANDIDATE, body }),
        await service.createForm({ ...CANDIDATE, body }),
      ];
      const error: unknown = await carryOut(plan, { service, folder }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({
        name: "AmbiguousNames",
        ambiguities: [{ ids: expect.arrayContaining([one.id, other.id]) as string[] }],
      });
    }),
  );
});

describe("an interrupted run", () => {
  it(
    "finishes the requests in progress, begins no others, and is resumed by the next run",
    onEngine(async ({ service, plan }) => {
      const folder = runsFolder();
      const ending = new AbortController();
      let begun = 0;
      const onStep = (_resource: unknown, _step: unknown, outcome: unknown) => {
        if (outcome === "begun" && ++begun === 6) ending.abort();
      };
      const { outcomes, interrupted } = await carryOut(plan, { service, folder, ending: ending.signal, onStep });
      expect(interrupted).toBe(true);
      const done = outcomes.filter(({ status }) => status === "done");
      expect(done).toHaveLength(6);
      const left = outcomes.filter(({ status }) => status !== "done");
      expect(left.every(({ status, reason }) => status === "skipped" && reason === "interrupted")).toBe(true);
      const again = await carryOut(plan, { service, folder });
      expect(again.outcomes.every(({ status }) => status === "done")).toBe(true);
      expect(await picture(service)).toEqual(await wholePicture(engineOnSqlite));
    }),
  );
});

describe("two concurrent runs from two folders", () => {
  it("create each form and layout once, and both finish", async () => {
    const whole = await wholePicture(engineOnSqlite);
    for (let round = 0; round < 10; round++) {
      await onEngine(async ({ service, plan }) => {
        // Each round delays the calls of the two runs differently.
        const slowed = (offset: number) =>
          mapCalls(service, (call, name) => async (input, options) => {
            const ticks = (round * 7 + offset + Object.keys(service).indexOf(name)) % 5;
            for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
            return call(input, options);
          });
        const creating = {
          resources: plan.resources.filter(({ action }) => action === "create"),
        };
        const both = await Promise.all(
          [0, 3].map((offset) => carryOut(creating, { service: slowed(offset), folder: runsFolder() })),
        );
        expect(both.map(({ outcomes }) => statuses(outcomes))).toEqual(
          both.map(() => ({
            Profile: "done done done done done",
            Intake: "done done done done",
            Card: "done done done done",
          })),
        );
        await carryOut(
          { resources: plan.resources.filter(({ action }) => action !== "create") },
          { service, folder: runsFolder() },
        );
        expect(await picture(service)).toEqual(whole);
      })();
    }
  });
});

describe("a record that was created under a key", () => {
  const forms = async (service: FullService) =>
    (await service.listForms(CANDIDATE)).data.map(({ name }) => name).filter((name) => /^(Profile|Other)$/.test(name));
  const rename = async (service: FullService) => {
    const { data } = await service.listForms(CANDIDATE);
    const { id: formId } = data.find(({ name }) => name === "Profile")!;
    await service.updateForm({ ...CANDIDATE, formId, body: { name: "Other" } });
  };

  it(
    "and renamed since is left as it is: two further runs create one new form",
    onEngine(async (world) => {
      const { service } = world;
      const plan = only(world, "Profile");
      await carryOut(plan, { service, folder: runsFolder() });
      await rename(service);
      await carryOut(plan, { service, folder: runsFolder() });
      await carryOut(plan, { service, folder: runsFolder() });
      expect((await forms(service)).sort()).toEqual(["Other", "Profile"]);
    }),
  );

  it(
    "and deleted or archived since is created again",
    onEngine(async (world) => {
      const { service } = world;
      const plan = { resources: [...only(world, "Card").resources, ...only(world, "Intake").resources] };
      const first = await carryOut(plan, { service, folder: runsFolder() });
      const { layoutId = "" } = first.outcomes[0]!.ids;
      await service.archiveLayout({ layoutId });
      await service.updateFormDefaults({ ...CANDIDATE, body: { defaultCreateFormId: null } });
      const { formId = "" } = first.outcomes.find(({ operation }) => operation === "createForm")!.ids;
      await service.deleteForm({ ...CANDIDATE, formId });
      const second = await carryOut(plan, { service, folder: runsFolder() });
      expect(second.outcomes.every(({ status }) => status === "done")).toBe(true);
      expect(second.outcomes[0]?.ids["layoutId"]).not.toBe(layoutId);
    }),
  );

  it(
    "with other modes is a conflict for a run that finds it, and created again by a run that does not",
    onEngine(async (world) => {
      const { service } = world;
      const plan = only(world, "Profile");
      await carryOut(plan, { service, folder: runsFolder() });
      const other = {
        resources: [
          resource("staffing/candidate/Profile", "create", [
            {
              phase: "create",
              request: { operation: "createForm", object: CANDIDATE, body: { name: "Profile", types: ["EDIT"] } },
            },
          ]),
        ],
      };
      const refused = await carryOut(other, { service, folder: runsFolder() });
      expect(refused.outcomes[0]?.error).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
      await rename(service);
      const made = await carryOut(other, { service, folder: runsFolder() });
      expect(made.outcomes[0]?.status).toBe("done");
      expect((await forms(service)).sort()).toEqual(["Other", "Profile"]);
    }),
  );
});

it(
  "writes journal entries while all permitted requests are in flight, and never sends more",
  onEngine(async ({ service }) => {
    const names = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    const plan: Plan = {
      resources: names.map((name) => {
        const body = { name, types: ["VIEW" as const] };
        const request = { operation: "createForm" as const, object: CANDIDATE, body };
        return resource(`staffing/candidate/${name}`, "create", [{ phase: "create", request }]);
      }),
    };
    let inFlight = 0;
    let most = 0;
    let intents = 0;
    const sixIntents = Promise.withResolvers<void>();
    const intentsAtAnswers: number[] = [];
    const counted = replacing(service, {
      async createForm(input) {
        most = Math.max(most, ++inFlight);
        await sixIntents.promise;
        // Time for an entry or a request too many.
        await new Promise((resolve) => setTimeout(resolve, 20));
        intentsAtAnswers.push(intents);
        inFlight--;
        return service.createForm(input);
      },
    });
    const watchJournal = (journal: Journal): Journal => ({
      ...journal,
      async write(entry) {
        await journal.write(entry);
        if (entry.event === "intent" && ++intents === 6) sixIntents.resolve();
      },
    });
    const { outcomes } = await carryOut(plan, { service: counted, folder: runsFolder(), concurrency: 4, watchJournal });
    expect(outcomes.map(({ status }) => status)).toEqual(names.map(() => "done"));
    expect(most).toBe(4);
    expect(intentsAtAnswers[0]).toBe(6);
  }),
);

it.each([
  [4, ["create", "list"]],
  [6, ["list", "create", "list"]],
])("uses the forms that the plan listed %i seconds before, unless that is too long ago: %j", (seconds, requests) =>
  onEngine(async ({ service }) => {
    const body = { name: "One", types: ["VIEW" as const] };
    const request = { operation: "createForm" as const, object: CANDIDATE, body };
    const created = resource("staffing/candidate/One", "create", [{ phase: "create", request }]);
    const sent: string[] = [];
    const watched = replacing(service, {
      listForms(input) {
        sent.push("list");
        return service.listForms(input);
      },
      createForm(input) {
        sent.push("create");
        return service.createForm(input);
      },
    });
    const since = new Date(Date.parse("2026-03-02T09:00:00.000Z") - seconds * 1000);
    const listed = { since, formsNamed: async () => [] };
    await carryOut({ resources: [created] }, { service: watched, folder: runsFolder(), listed });
    expect(sent).toEqual(requests);
  })(),
);

describe("a server that refuses the expected versions", () => {
  it(
    "gets the same write without them, and no more of them in the run",
    onEngine(async ({ service, plan }) => {
      const refused: string[] = [];
      const letter = replacing(service, {
        async saveDraft(input) {
          if ("expectedDraftVersionId" in input.body) {
            refused.push("draft");
            throw refusal(400, "VALIDATION_FAILED", { fieldErrors: { expectedDraftVersionId: ["is not known"] } });
          }
          return service.saveDraft(input);
        },
        async publishLayout(input) {
          if ("expectedPublishedVersionId" in input.body) {
            refused.push("published");
            throw refusal(400, "VALIDATION_FAILED", { errors: [{ message: "expectedPublishedVersionId: unknown" }] });
          }
          return service.publishLayout(input);
        },
      });
      const options = { service: omittingService(letter), folder: runsFolder(), concurrency: 1 };
      const { outcomes } = await carryOut(plan, options);
      expect(outcomes.every(({ status }) => status === "done")).toBe(true);
      expect(refused.sort()).toEqual(["draft", "published"]);
    }),
  );

  it(
    "saves an earlier content again after another one",
    onEngine(async (world) => {
      const { service } = world;
      const curt = replacing(service, {
        async saveDraft(input) {
          if ("expectedDraftVersionId" in input.body)
            throw refusal(400, "VALIDATION_FAILED", { fieldErrors: { expectedDraftVersionId: ["is not known"] } });
          return service.saveDraft(input);
        },
      });
      const [old] = only(world, "Old intake").resources;
      const { layoutId = "" } = old!;
      const drafts = async () => service.listVersions({ layoutId });
      for (const key of ["phone", "notes", "phone"]) {
        const [present] = await drafts();
        const request = { operation: "saveDraft", content: content(key), replaces: present!.id } as const;
        const plan = {
          resources: [{ ...old!, steps: [{ phase: "content", request, replaces: {}, writes: {} } as const] }],
        };
        await carryOut(plan, { service: omittingService(curt), folder: runsFolder() });
        expect((await drafts())[0]?.blocks[0]?.ref?.fieldKey).toBe(key);
      }
    }),
  );
});

describe("with --strict", () => {
  it(
    "saves a draft with warnings, and does not publish it",
    onEngine(async (world) => {
      const { service } = world;
      const [first, save, ...rest] = only(world, "Intake").resources[0]!.steps;
      const weak = content("full_name", "email");
      weak.blocks[0]!.requiredPolicy = "optional";
      const request = { operation: "saveDraft", content: weak, replaces: undefined } as const;
      const plan = {
        resources: [resource("staffing/candidate/Intake", "create", [first!, { ...save!, request }, ...rest])],
      };
      const { outcomes } = await carryOut(plan, { service, folder: runsFolder(), strict: true });
      expect(statuses(outcomes)).toEqual({ Intake: "done done failed skipped" });
      expect(outcomes[2]?.error).toMatchObject({ name: "DraftHasWarnings", warnings: [{}] });
    }),
  );
});

describe("a journal that can't be written any more", () => {
  it(
    "stops the run before it sends a request without an entry",
    onEngine(async ({ world, service, plan }) => {
      const before = (await world.local.log({ limit: 100 })).length;
      let lines = 0;
      const { outcomes } = await carryOut(plan, {
        service,
        folder: runsFolder(),
        watchJournal: (journal) => ({
          ...journal,
          write: (line) =>
            line.event !== "end" && ++lines > 9
              ? Promise.reject(recordUnwritable("runs", new Error("ENOSPC: no space left on device")))
              : journal.write(line),
        }),
      });
      const left = outcomes.filter(({ status }) => status !== "done");
      expect(left.length).toBeGreaterThan(10);
      const isTold = (one: (typeof left)[number]) =>
        one.reason?.includes("ENOSPC") ?? hasCode(one.error, "RECORD_UNWRITABLE");
      expect(left.filter((one) => !isTold(one) && !one.reason?.endsWith("failed"))).toEqual([]);
      const sent = (await world.local.log({ limit: 100 })).length - before;
      expect(sent).toBeLessThanOrEqual(9);
    }),
  );
});
