/** The engine in this process, with a folder of manifests. It plans and applies without the commands. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { Lock, LockedResource } from "../../src/state/lock.ts";
import { stateByField } from "../../src/state/staged-changes.ts";
import { readCurrent } from "../../src/state/read.ts";
import { applyPlan } from "../../src/apply/apply.ts";
import { updateLock } from "../../src/apply/lock-update.ts";
import { checkManifests } from "../../src/manifests/read/check.ts";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { planChanges } from "../../src/plan/plan.ts";
import type { Plan } from "../../src/plan/planned.ts";
import { readManifests } from "../../src/manifests/read/read-manifests.ts";
import { resolveNames } from "../../src/manifests/references.ts";
import { organizationReferences } from "../../src/state/target.ts";
import type { StagedField } from "../../src/schemas/draft.ts";
import { fieldsOf } from "../../src/schemas/catalog.ts";
import { operationRow } from "../../src/schemas/operations.ts";
import { type FullService, mapCalls } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { type Files, writeFiles } from "../arbitraries/manifest-files.ts";
import { manifestOrganization, OBJECTS } from "../arbitraries/manifest-pages.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolder } from "../temporary.ts";

export type Planned = {
  prune?: boolean;
  /** Without stamps, only the lock states what was published from this folder. */
  stamp?: boolean;
  /** Whether a plan reads the fields, as on a local store. */
  seesFields?: boolean;
};

export type Engine = Awaited<ReturnType<typeof openEngine>>;

const seed = seededStore(
  { organizations: [manifestOrganization] },
  { now: () => new Date(Date.UTC(2026, 2, 2)), newId: randomId },
);

export async function openEngine() {
  const folder = temporaryFolder();
  const root = folder.path;
  await seed(join(root, "local.db"));
  const store = openSqlite(join(root, "local.db"), { create: false });
  let minutes = 0;
  const local = openLocalService({
    store,
    files: uploadFiles(join(root, "local.db")),
    now: () => new Date(Date.UTC(2026, 2, 2) + ++minutes * 1000),
    newId: randomId,
  });
  let writes = 0;
  const service = counted(await local.service("northwind"), () => void writes++);
  const resources = new Map<string, LockedResource>();
  let runs = 0;
  const lock: Lock = {
    get: (address) => resources.get(address),
    entries: () => resources.entries(),
    setFile: () => undefined,
    fileOf: () => undefined,
    unreadFileOf: () => undefined,
    layoutOfOtherProfile: () => undefined,
    adopt: () => undefined,
    set: (address, resource) => void (resource ? resources.set(address, resource) : resources.delete(address)),
    save: async () => undefined,
  };

  async function read() {
    const set = await readManifests({ paths: ["forms"], cwd: root, root, env: {} });
    const organization = (await local.show()).organizations[0]!;
    const { wanted, problems } = resolveNames(set.manifests, organizationReferences(organization, "the store"));
    const checked = checkManifests(set.manifests, { organization, source: "the store" });
    const errors = [...set.problems, ...problems, ...checked.problems].filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(`the manifests are wrong: ${JSON.stringify(errors, null, 1)}`);
    const fields = (each: Wanted) =>
      fieldsOf(organization, each.kind === "Form" ? { surface: "DYNAMIC_OBJECT", target: each.object } : each);
    return { wanted, fields };
  }

  async function plan({ prune = false, stamp = true, seesFields = false }: Planned = {}): Promise<Plan> {
    const { wanted, fields } = await read();
    const current = await readCurrent({ service, wanted, known: new Map(), concurrency: 4 });
    return planChanges({
      wanted,
      current,
      lock,
      prune,
      targets: [],
      publish: true,
      stamp: stamp ? {} : undefined,
      ...(seesFields && { fieldsOf: fields }),
    });
  }

  return {
    local,
    plan,
    /** Clears the lock, as in a fresh clone without a lock. */
    forget: () => resources.clear(),
    /** A user without formctl publishes the published content of every form again, under another title. */
    async publishByHand() {
      for (const object of OBJECTS) {
        const [moduleKey, objectKey] = object.split("/") as [string, string];
        const { data } = await service.listForms({ moduleKey, objectKey, query: { limit: 100 } });
        for (const { viewLayoutId: layoutId } of data) {
          const published = (await service.listVersions({ layoutId })).find(({ status }) => status === "PUBLISHED");
          if (!published) continue;
          const { regions, blocks, scriptBindings } = published;
          const body = { regions: [{ ...regions[0]!, label: `By hand ${minutes}` }, ...regions.slice(1)], blocks };
          const clientMutationId = `by hand ${minutes}`;
          const draft = { ...body, scriptBindings, schemaVersion: 1 as const, clientMutationId };
          const { draftVersionId } = await service.saveDraft({ layoutId, body: draft });
          await service.publishLayout({ layoutId, body: { clientMutationId, draftVersionId } });
        }
      }
    },
    /** Returns the staged changes of published manifests that the fields do not show. */
    async undone(): Promise<StagedField[]> {
      const { wanted, fields } = await read();
      return wanted.flatMap((each) => {
        const staged = each.publish ? (each.content?.stagedFieldDefinitions ?? []) : [];
        return staged.filter((one) => stateByField(one, fields(each) ?? []) === "pending");
      });
    },
    write(files: Files) {
      rmSync(join(root, "forms"), { recursive: true, force: true });
      mkdirSync(join(root, "forms"));
      writeFiles(join(root, "forms"), files);
    },
    async apply(options: Planned = {}): Promise<Plan> {
      return this.carryOut(await plan(options));
    },
    /** @throws Error with the plan if a step fails */
    async carryOut(planned: Plan): Promise<Plan> {
      const report = await applyPlan(planned, {
        service,
        journal: { write: async () => undefined, close: async () => undefined },
        concurrency: 4,
        strict: false,
        // Each run begins at another time. So its writes differ from equal writes of earlier runs.
        now: () => new Date(++runs),
        sleep: async () => undefined,
        ending: new AbortController().signal,
        onStep: () => undefined,
      });
      const { outcomes } = report;
      await updateLock(planned, outcomes, lock);
      const wrong = outcomes.filter(({ status }) => status !== "done");
      if (wrong.length > 0) {
        const told = wrong.map(({ error, ...rest }) => ({
          ...rest,
          error: String(error),
          body: (error as { body?: unknown })?.body,
        }));
        throw new Error(
          `the apply did not land: ${JSON.stringify(told, null, 1)}\n${JSON.stringify(stepsOf(planned), null, 1)}`,
        );
      }
      return planned;
    },
    writes: () => writes,
    async close() {
      await local.close();
      folder.remove();
    },
  };
}

/** Returns the resources that have steps. */
export function stepsOf({ resources }: Plan): object[] {
  const left = resources.filter(({ steps }) => steps.length > 0);
  return left.map(({ address, changes, steps, needs }) => ({ address, changes, steps, needs }));
}

function counted(service: FullService, onWrite: () => void): FullService {
  return mapCalls(service, (call, name) => {
    const count = operationRow(name).method === "GET" ? () => undefined : onWrite;
    return (input, options) => (count(), call(input, options));
  });
}
