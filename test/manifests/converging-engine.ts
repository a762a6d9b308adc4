/** The engine in process and a folder of manifests: planning and applying without the commands around them. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { applyPlan } from "../../src/manifests/apply/apply.ts";
import { checkManifests } from "../../src/manifests/read/check.ts";
import { readCurrent } from "../../src/manifests/current/current.ts";
import type { Lock, LockedResource } from "../../src/manifests/lock.ts";
import { type Plan, planChanges } from "../../src/manifests/plan/plan.ts";
import { readManifests } from "../../src/manifests/read/read.ts";
import { resolveNames } from "../../src/manifests/references.ts";
import { ofOrganization } from "../../src/commands/manifests/references.ts";
import { operationRow, type OperationName } from "../../src/schemas/operations.ts";
import type { Service } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/upload-files.ts";
import { type Files, writeFiles } from "../arbitraries/manifest-files.ts";
import { manifestOrganization } from "../arbitraries/manifest-pages.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolder } from "../temporary.ts";

export type Planned = { prune?: boolean };

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
  const lock: Lock = {
    get: (address) => resources.get(address),
    layoutElsewhere: () => undefined,
    set: (address, resource) => void (resource ? resources.set(address, resource) : resources.delete(address)),
    save: async () => undefined,
  };

  async function plan({ prune = false }: Planned = {}): Promise<Plan> {
    const set = await readManifests({ paths: ["forms"], cwd: root, root, env: {} });
    const organization = (await local.show()).organizations[0]!;
    const { wanted, problems } = resolveNames(set.manifests, ofOrganization(organization, "the store"));
    const checked = checkManifests(set.manifests, { organization, source: "the store" });
    const errors = [...set.problems, ...problems, ...checked.problems].filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(`the manifests are wrong: ${JSON.stringify(errors, null, 1)}`);
    const current = await readCurrent({ service, wanted, known: new Map(), concurrency: 4 });
    return planChanges({ wanted, current, lock, prune, targets: [], publish: true, stamp: {} });
  }

  return {
    local,
    plan,
    write(files: Files) {
      rmSync(join(root, "forms"), { recursive: true, force: true });
      mkdirSync(join(root, "forms"));
      writeFiles(join(root, "forms"), files);
    },
    async apply(options: Planned = {}): Promise<Plan> {
      return this.carryOut(await plan(options));
    },
    /** @throws Error at the first step that does not land, with the plan */
    async carryOut(planned: Plan): Promise<Plan> {
      const { outcomes } = await applyPlan(planned, {
        service,
        journal: { write: async () => undefined, close: async () => undefined },
        concurrency: 4,
        strict: false,
        now: () => new Date(0),
        sleep: async () => undefined,
        ending: new AbortController().signal,
        onStep: () => undefined,
      });
      for (const { address, formId, layoutId, base, action } of planned.resources) {
        lock.set(
          address,
          action === "delete" ? null : { ...(formId && { formId }), ...(layoutId && { layoutId }), base },
        );
      }
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

/** What a plan would do. */
export function stepsOf({ resources }: Plan): object[] {
  const left = resources.filter(({ steps }) => steps.length > 0);
  return left.map(({ address, changes, steps, needs }) => ({ address, changes, steps, needs }));
}

function counted(service: Service, onWrite: () => void): Service {
  const entries = (Object.keys(service) as OperationName[]).map((name) => {
    const call = service[name] as (...input: unknown[]) => unknown;
    const count = operationRow(name).method === "GET" ? () => undefined : onWrite;
    return [name, (...input: unknown[]) => (count(), call(...input))];
  });
  return Object.fromEntries(entries) as Service;
}
