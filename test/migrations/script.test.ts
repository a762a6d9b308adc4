/** Runs scripts on our engine, directly and behind HTTP, with interruptions at each point. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FormctlError } from "../../src/base/error.ts";
import type { Script } from "../../src/migrations/definition.ts";
import type { ScriptWrite } from "../../src/migrations/loaded.ts";
import type { RecordedStep } from "../../src/migrations/record.ts";
import { runScript, type ScriptRun } from "../../src/migrations/script.ts";
import { operationRow } from "../../src/schemas/operations.ts";
import { mapCalls, NotConfirmed, type Service, ServiceError } from "../../src/service.ts";
import { omittingService } from "../client/omitting-service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { httpInProcess } from "../contract/http-providers.ts";
import type { ContractWorld } from "../contract/provider.ts";
import { definedMigration } from "../../src/migrations/defined.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const NOW = () => new Date("2026-11-22T10:00:00.000Z");

/** Runs a script with a record in memory. */
function runRecorded(service: Service, script: Script, recorded: RecordedStep[], more: Partial<ScriptRun> = {}) {
  return runScript({
    loaded: definedMigration(script),
    direction: "run",
    service,
    seed: "change 1",
    recorded: [...recorded],
    now: NOW,
    onStep: async (step) => void recorded.push(step),
    ...more,
  });
}

/** A script with one write of each kind, concurrent steps, and steps that need answers of earlier steps. */
const script: Script = {
  async run(service, step) {
    const intake = await step("create the intake form", () =>
      service.createForm({ ...CANDIDATE, body: { name: "Intake", types: ["VIEW"] } }),
    );
    const layoutId = intake.viewLayoutId!;
    const draft = await step("save the draft", async () => {
      const blocks = [
        { id: "b1", type: "custom_html", source: "system", regionKey: "main", config: { html: "Hello" } },
      ];
      const content = { schemaVersion: 1, regions: [{ key: "main", layout: "stack" }], blocks };
      const { draftVersionId } = await service.saveDraft({ layoutId, body: content });
      return { draftVersionId };
    });
    await Promise.all([
      step("publish", () => service.publishLayout({ layoutId, body: draft })),
      step("create three forms", () =>
        Promise.all(
          ["A", "B", "A"].map((name) => service.createForm({ ...CANDIDATE, body: { name, types: ["VIEW"] } })),
        ),
      ),
    ]);
    const page = await step("create a page", () =>
      service.createLayout({ body: { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Page" } }),
    );
    await step("use the page", async () => {
      await service.replaceAssignments({ layoutId: page.id, body: { organizationDefault: false, roles: [] } });
      await service.updateLayout({ layoutId: page.id, body: { name: "Old page" } });
    });
    const doomed = await step("rename and find", async () => {
      await service.updateForm({ ...CANDIDATE, formId: intake.id, body: { name: "New intake" } });
      const { data } = await service.listForms({ ...CANDIDATE, query: { limit: 100 } });
      return data.flatMap(({ name, id }) => (name === "B" ? [id] : []));
    });
    await step("delete", async () => {
      await service.archiveLayout({ layoutId: page.id });
      for (const formId of doomed) await service.deleteForm({ ...CANDIDATE, formId });
    });
  },
};

const NAMES = [
  "create the intake form",
  "save the draft",
  "publish",
  "create three forms",
  "create a page",
  "use the page",
  "rename and find",
  "delete",
];

/** Simulates a kill. The interrupted run has no further effect. */
class Killed extends Error {}

/** A point of a run for a kill: before or after the n-th write, or before the n-th record. */
type Kill = { at: "before write" | "after write" | "before record"; number: number };

/** Runs the script and kills it at a point. Returns whether the run reached that point. */
async function runKilled(service: Service, recorded: RecordedStep[], kill: Kill, seed: string): Promise<boolean> {
  let writes = 0;
  let records = 0;
  let isKilled = false;
  const die = () => {
    isKilled = true;
    throw new Killed();
  };
  const alive = () => {
    if (isKilled) throw new Killed();
  };
  const killed = mapCalls(service, (call, name) => {
    if (operationRow(name).method === "GET") return call;
    return async (input, options) => {
      alive();
      const number = ++writes;
      if (kill.at === "before write" && number === kill.number) die();
      const answer = await call(input, options);
      if (kill.at === "after write" && number === kill.number) die();
      return answer;
    };
  });
  const onStep = async (step: RecordedStep) => {
    alive();
    if (kill.at === "before record" && ++records === kill.number) die();
    recorded.push(step);
  };
  const run = runRecorded(killed, script, recorded, { onStep, seed });
  await run.catch((error: unknown) => {
    if (!isKilled) throw error;
  });
  return isKilled;
}

describe.each([engineOnSqlite, httpInProcess])("on $name", (provider) => {
  let world: ContractWorld;
  let service: Service;

  beforeEach(async () => {
    world = await provider.open();
    service = await world.as("northwind");
  });
  afterEach(() => world.close());

  /** Returns the operations that wrote something. Stored responses don't count. */
  const effects = async () =>
    (await world.local.log({ limit: 1_000 })).map(({ operation }) => operation).filter((name) => name !== "seed");

  const EFFECTS = [
    "archiveLayout",
    "createForm",
    "createForm",
    "createForm",
    "createForm",
    "createLayout",
    "deleteForm",
    "publishLayout",
    "replaceAssignments",
    "saveDraft",
    "updateForm",
    "updateLayout",
  ];

  it("runs each step once, and gives the recorded answers to a later run", async () => {
    const recorded: RecordedStep[] = [];
    await runRecorded(service, script, recorded);
    expect(recorded.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
    expect((await effects()).toSorted()).toEqual(EFFECTS);
    const again: RecordedStep[] = [];
    await runRecorded(service, script, recorded, { onStep: async (step) => void again.push(step) });
    expect(again).toEqual([]);
    expect(await effects()).toHaveLength(EFFECTS.length);
  });

  /** Every point of the script: before and after each of 12 writes, and before each of 8 records. */
  const kills: Kill[] = [
    ...EFFECTS.flatMap((_name, index): Kill[] => [
      { at: "before write", number: index + 1 },
      { at: "after write", number: index + 1 },
    ]),
    ...NAMES.map((_name, index): Kill => ({ at: "before record", number: index + 1 })),
  ];

  it.each(kills)("has each effect once if it is killed $at $number", async (kill) => {
    const recorded: RecordedStep[] = [];
    expect(await runKilled(service, recorded, kill, "change 1")).toBe(true);
    await runRecorded(service, script, recorded);
    expect((await effects()).toSorted()).toEqual(EFFECTS);
    expect(recorded.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
  });

  it("has an effect twice if the ids of the writes change: the control", async () => {
    const recorded: RecordedStep[] = [];
    await runKilled(service, recorded, { at: "before record", number: 1 }, "change 1");
    await runRecorded(service, script, recorded, { seed: "change 2" });
    expect((await effects()).toSorted()).not.toEqual(EFFECTS);
  });

  it("runs again after down, with other ids", async () => {
    const both: Script = {
      run: async (api, step) => {
        await step("create", () => api.createForm({ ...CANDIDATE, body: { name: "Intake", types: ["CREATE"] } }));
      },
      down: async (api, step, answers) => {
        const { id } = answers["create"] as { id: string };
        await step("delete", () => api.deleteForm({ ...CANDIDATE, formId: id }));
      },
    };
    const ids = new Set<unknown>();
    for (const round of [1, 2]) {
      const recorded: RecordedStep[] = [];
      await runRecorded(service, both, recorded, { seed: `change ${round}` });
      ids.add((recorded[0]!.answer as { id: string }).id);
      const down = { direction: "down", seed: `change ${round} down`, runSteps: recorded } as const;
      await runRecorded(service, both, [], down);
    }
    expect(ids.size).toBe(2);
    expect((await effects()).toSorted()).toEqual(["createForm", "createForm", "deleteForm", "deleteForm"]);
    expect((await service.listForms(CANDIDATE)).data).toEqual([]);
  });

  it("refuses changed content after a write that was carried out but not recorded", async () => {
    const creation = (types: ("CREATE" | "VIEW")[]): Script => ({
      run: async (api, step) => {
        await step("create", () => api.createForm({ ...CANDIDATE, body: { name: "Intake", types } }));
      },
    });
    const recorded: RecordedStep[] = [];
    const lost = new FormctlError("MIGRATIONS_CHANGED", "the record changed");
    const onStep = () => Promise.reject(lost);
    await expect(runRecorded(service, creation(["CREATE"]), recorded, { onStep })).rejects.toBe(lost);
    await expect(runRecorded(service, creation(["VIEW"]), recorded)).rejects.toMatchObject({
      status: 409,
      code: "IDEMPOTENCY_CONFLICT",
      hint: expect.stringContaining("Restore the step as it was"),
    });
    await runRecorded(service, creation(["CREATE"]), recorded);
    expect(await effects()).toEqual(["createForm"]);
  });

  it("replaces a clientMutationId of the script", async () => {
    const own: Script = {
      run: async (api, step) => {
        const create = () =>
          api.createLayout({
            body: { clientMutationId: "mine", surface: "USER", supportedModes: ["VIEW"], target: {}, name: "Page" },
          });
        await step("one", create);
        await step("two", create);
      },
    };
    await runRecorded(service, own, []);
    expect(await effects()).toEqual(["createLayout", "createLayout"]);
  });
});

describe("a script", () => {
  let world: ContractWorld;
  let service: Service;

  beforeEach(async () => {
    world = await engineOnSqlite.open();
    service = await world.as("northwind");
  });
  afterEach(() => world.close());

  const create = (api: Pick<Service, "createForm">, name = "Intake") =>
    api.createForm({ ...CANDIDATE, body: { name, types: ["CREATE"] } });

  const refusals: [string, Script["run"], string][] = [
    ["a write outside of a step", async (api) => void (await create(api)), "createForm is called outside of a step"],
    [
      "a step inside a step",
      (_api, step) => step("outer", () => step("inner", async () => undefined)),
      'step "inner" is inside step "outer"',
    ],
    [
      "two steps of one name",
      async (_api, step) => {
        await step("one", async () => undefined);
        await step("one", async () => undefined);
      },
      'two steps are named "one"',
    ],
    [
      "a write that is not awaited",
      async (api, step) => {
        await step("one", async () => void create(api));
      },
      'step "one" does not await a write',
    ],
    [
      "a write after the end of its step",
      async (api, step) => {
        let late: Promise<unknown> = Promise.resolve();
        await step("one", async () => {
          late = new Promise((resolve) => setTimeout(resolve, 1)).then(() => create(api));
        });
        await late;
      },
      'createForm is called after step "one" has ended',
    ],
    ["a write outside of a step that is not awaited", async (api) => void create(api), "createForm is called outside"],
    [
      "a failed step that is not awaited",
      async (_api, step) => {
        void step("one", async () => Promise.reject(new FormctlError("MIGRATION_INVALID", "the step failed")));
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
      "the step failed",
    ],
    [
      "a step that is not awaited",
      async (api, step) => {
        void step("one", () => create(api));
      },
      'the script ends before its step "one"',
    ],
    [
      "a deletion after another write in one step",
      async (api, step) => {
        await step("one", async () => {
          const { id: formId } = await create(api);
          await api.deleteForm({ ...CANDIDATE, formId });
        });
      },
      'deleteForm follows createForm in step "one"',
    ],
    [
      "an answer that is not JSON",
      async (_api, step) => {
        await step("one", async () => ({ times: [new Date(0)] }));
      },
      "the answer of step \"one\" can't be recorded: the member times[0] of the answer is a Date, which JSON can't represent",
    ],
    [
      "an answer that contains itself",
      async (_api, step) => {
        const answer: Record<string, unknown> = {};
        answer["self"] = answer;
        await step("one", async () => answer);
      },
      "is nested more than 64 levels deep, or contains itself",
    ],
    [
      "a long answer",
      async (_api, step) => {
        await step("one", async () => "x".repeat(70_000));
      },
      'the answer of step "one" can\'t be recorded: the answer has 70002 bytes, more than 65536',
    ],
  ];

  it.each(refusals)("refuses %s", async (_what, run, message) => {
    const recorded: RecordedStep[] = [];
    const error: unknown = await runRecorded(service, { run }, recorded).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "MIGRATION_INVALID", message: expect.stringContaining(message) });
  });

  it("continues with a step that it has corrected after its answer was refused, without a second effect", async () => {
    const creation = (answer: (form: object) => unknown): Script => ({
      run: async (api, step) => {
        await step("create", async () => answer(await create(api)));
      },
    });
    const recorded: RecordedStep[] = [];
    await expect(
      runRecorded(
        service,
        creation((form) => ({ form, at: new Date() })),
        recorded,
      ),
    ).rejects.toThrow("Date");
    await runRecorded(
      service,
      creation((form) => form),
      recorded,
    );
    expect((await service.listForms(CANDIDATE)).data).toHaveLength(1);
  });

  it("gives the same answer to the first run as to later ones", async () => {
    const answers: unknown[] = [];
    const run: Script["run"] = async (_api, step) => {
      answers.push(await step("nothing", async () => undefined));
      answers.push(await step("members", async () => ({ kept: 1, dropped: undefined })));
    };
    const recorded: RecordedStep[] = [];
    await runRecorded(service, { run }, recorded);
    await runRecorded(service, { run }, recorded);
    expect(answers).toEqual([null, { kept: 1 }, null, { kept: 1 }]);
  });

  it("runs reads outside of steps", async () => {
    const run: Script["run"] = async (api) => {
      expect((await api.listForms(CANDIDATE)).data).toEqual([]);
    };
    await runRecorded(service, { run }, []);
  });

  it("records steps that run concurrently one after the other", async () => {
    let isWriting = false;
    const onStep = async () => {
      expect(isWriting).toBe(false);
      isWriting = true;
      await new Promise((resolve) => setTimeout(resolve, 2));
      isWriting = false;
    };
    const run: Script["run"] = async (api, step) => {
      await Promise.all(["A", "B", "C"].map((name) => step(name, () => create(api, name))));
    };
    await runRecorded(service, { run }, [], { onStep });
    expect((await service.listForms(CANDIDATE)).data).toHaveLength(3);
  });

  it("ends with the error of the record even if the script catches it, and writes nothing more", async () => {
    const lost = new FormctlError("MIGRATIONS_CHANGED", "the record changed");
    const caught: unknown[] = [];
    const run: Script["run"] = async (api, step) => {
      for (const name of ["A", "B"]) await step(name, () => create(api, name)).catch((error) => caught.push(error));
    };
    await expect(runRecorded(service, { run }, [], { onStep: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(caught).toEqual([lost, lost]);
    expect((await service.listForms(CANDIDATE)).data).toHaveLength(1);
  });

  it("ends with the first error of a step even if the script catches it, and starts no other step", async () => {
    const caught: unknown[] = [];
    const run: Script["run"] = async (api, step) => {
      await step("delete", () => api.deleteForm({ ...CANDIDATE, formId: "frm_missing" })).catch((e) => caught.push(e));
      await step("create", () => create(api)).catch((e) => caught.push(e));
    };
    const recorded: RecordedStep[] = [];
    const error: unknown = await runRecorded(service, { run }, recorded).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 404 });
    expect(caught).toEqual([error, error]);
    expect([recorded, (await service.listForms(CANDIDATE)).data]).toEqual([[], []]);
  });

  it("waits for concurrent steps before it ends, and records those that are done", async () => {
    let release = () => {};
    const failed = new Promise<void>((resolve) => (release = resolve));
    const run: Script["run"] = async (api, step) => {
      await Promise.all([
        step("fail", () => api.deleteForm({ ...CANDIDATE, formId: "frm_missing" })).finally(release),
        step("create", async () => {
          const form = await create(api);
          await failed;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return form.id;
        }),
      ]);
    };
    const recorded: RecordedStep[] = [];
    await expect(runRecorded(service, { run }, recorded)).rejects.toMatchObject({ status: 404 });
    expect(recorded.map(({ name }) => name)).toEqual(["create"]);
  });

  it("asks before each write, and does not send a write that is refused", async () => {
    const writes: ScriptWrite[] = [];
    const stop = new FormctlError("INTERRUPTED", "interrupted");
    const beforeWrite = async (write: ScriptWrite) => {
      writes.push(write);
      if (writes.length === 2) throw stop;
    };
    const run: Script["run"] = async (api, step) => {
      await step("A", () => create(api, "A"));
      await step("B", () => create(api, "B"));
    };
    const recorded: RecordedStep[] = [];
    await expect(runRecorded(service, { run }, recorded, { beforeWrite })).rejects.toBe(stop);
    expect(writes.map(({ step, operation }) => [step, operation])).toEqual([
      ["A", "createForm"],
      ["B", "createForm"],
    ]);
    expect(recorded.map(({ name }) => name)).toEqual(["A"]);
    expect((await service.listForms(CANDIDATE)).data).toHaveLength(1);
  });

  it.each([
    new FormctlError("OUTCOME_UNKNOWN", "the outcome is unknown"),
    new NotConfirmed("accepted, not confirmed", "Look."),
  ])("does not record a step with $code, even if the step or the script catches the error", async (unknown) => {
    for (const isInside of [true, false]) {
      const failing = { ...service, createForm: () => Promise.reject(unknown) } as Service;
      const run: Script["run"] = async (api, step) => {
        const attempt = isInside
          ? step("create", () => create(api).catch(() => undefined))
          : step("create", () => create(api));
        await attempt.catch(() => undefined);
      };
      const recorded: RecordedStep[] = [];
      await expect(runRecorded(failing, { run }, recorded)).rejects.toBe(unknown);
      expect(recorded).toEqual([]);
    }
  });

  it("sends a write that the step repeats with the same id", async () => {
    const keys: unknown[] = [];
    const failing: Service = {
      ...service,
      createForm: async (input, options) => {
        keys.push(options?.idempotencyKey);
        if (keys.length === 1) throw new FormctlError("OUTCOME_UNKNOWN", "the outcome is unknown");
        return service.createForm(input, options);
      },
    };
    const run: Script["run"] = async (api, step) => {
      await step("create", () => create(api).catch(() => create(api)));
    };
    const recorded: RecordedStep[] = [];
    await runRecorded(failing, { run }, recorded);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(recorded).toHaveLength(1);
  });

  it("creates a layout on a server that does not know its clientMutationId", async () => {
    const bodies: object[] = [];
    const strict: Service = {
      ...service,
      createLayout: async (input, options) => {
        bodies.push(input.body);
        if (input.body.clientMutationId === undefined) return service.createLayout(input, options);
        const fieldErrors = { clientMutationId: ["is not a known member"] };
        throw new ServiceError(400, { code: "INVALID", message: "invalid", fieldErrors });
      },
    };
    const body = { surface: "USER" as const, supportedModes: ["VIEW" as const], target: {}, name: "Page" };
    await runRecorded(
      omittingService(strict),
      { run: async (api, step) => void (await step("create", () => api.createLayout({ body }))) },
      [],
    );
    expect(bodies).toEqual([expect.objectContaining({ clientMutationId: expect.any(String) }), body]);
  });
});
