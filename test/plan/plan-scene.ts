/** An organization without forms, manifests as values, and plans that are made and applied against a real service. */

import { onTestFinished } from "vitest";
import { applyPlan } from "../../src/apply/apply.ts";
import { readCurrent } from "../../src/state/read.ts";
import { type Lock, type LockedResource, knownLayouts } from "../../src/state/lock.ts";
import type { Wanted, WantedForm, WantedLayout } from "../../src/manifests/manifest.ts";
import { planChanges, type PlanOptions } from "../../src/plan/plan.ts";
import type { Plan, PlannedResource } from "../../src/plan/planned.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { FormListItem } from "../../src/schemas/form.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { FullService, Service } from "../../src/service.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import type { ContractWorld, Provider } from "../contract/provider.ts";
import type { Current } from "../../src/state/state.ts";

export const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
export const PLACEMENT = { moduleKey: "staffing", objectKey: "placement" };

export type PlanScene = {
  world: ContractWorld;
  service: Service;
  lock: Lock;
  roles: Record<"recruiter" | "account_manager" | "compliance_officer", string>;
  members: readonly string[];
  plan(wanted: readonly Wanted[], options?: Partial<PlanOptions>): Promise<Plan>;
  read(wanted: readonly Wanted[]): Promise<Current>;
  /** Applies a plan and updates the lock, as `apply` does. @throws the first error of a step */
  apply(plan: Plan): Promise<void>;
  /** Plans and applies. @returns the plan */
  make(wanted: readonly Wanted[], options?: Partial<PlanOptions>): Promise<Plan>;
  form(name: string): Promise<FormListItem>;
  versions(name: string): Promise<LayoutVersion[]>;
};

/** @param wrap changes the service into another server */
export async function openScene(
  provider: Provider = engineOnSqlite,
  wrap: (service: FullService) => Service = (service) => service,
): Promise<PlanScene> {
  const world = await provider.open();
  onTestFinished(() => world.close());
  const direct = await world.as("northwind");
  const service = wrap(direct);
  const { organizations } = await world.local.show();
  const northwind = organizations.find(({ key }) => key === "northwind")!;
  const lock = memoryLock();
  const read = (wanted: readonly Wanted[]) => {
    const known = knownLayouts(lock, wanted);
    return readCurrent({ service, wanted, known, concurrency: 4 });
  };
  const scene: PlanScene = {
    world,
    service,
    lock,
    read,
    roles: Object.fromEntries(northwind.roles.map(({ key, id }) => [key, id])) as PlanScene["roles"],
    members: northwind.members.map(({ id }) => id),
    async plan(wanted, options) {
      const current = await read(wanted);
      return planChanges({
        wanted,
        current,
        lock,
        prune: false,
        targets: [],
        publish: true,
        stamp: { ref: "test" },
        ...options,
      });
    },
    async apply(plan) {
      world.clock.advance(1000);
      const { outcomes } = await applyPlan(plan, {
        service,
        journal: { write: async () => undefined, close: async () => undefined },
        concurrency: 4,
        strict: false,
        now: () => world.clock.now,
        sleep: async () => undefined,
        ending: new AbortController().signal,
        onStep: () => undefined,
      });
      const failed = outcomes.find(({ error }) => error !== undefined);
      if (failed) throw failed.error;
      for (const { address, action, base, formId, layoutId } of plan.resources) {
        const made = Object.assign(
          {},
          ...outcomes.filter(({ resource }) => resource === address).map(({ ids }) => ids),
        );
        const ids = { ...pick({ formId, layoutId }), ...pick({ formId: made.formId, layoutId: made.layoutId }) };
        lock.set(address, action === "delete" ? null : { ...ids, base });
      }
    },
    async make(wanted, options) {
      const plan = await scene.plan(wanted, options);
      await scene.apply(plan);
      return plan;
    },
    async form(name) {
      const { data } = await direct.listForms({ ...CANDIDATE, query: { limit: 100 } });
      return data.find((each) => each.name === name)!;
    },
    async versions(name) {
      return direct.listVersions({ layoutId: (await scene.form(name)).viewLayoutId });
    },
  };
  return scene;
}

function pick(ids: { formId?: string | undefined; layoutId?: string | undefined }): LockedResource {
  const { formId, layoutId } = ids;
  return { ...(formId !== undefined && { formId }), ...(layoutId !== undefined && { layoutId }) } as LockedResource;
}

export function memoryLock(): Lock {
  const resources = new Map<string, LockedResource>();
  return {
    get: (address) => resources.get(address),
    entries: () => resources.entries(),
    setFile: () => undefined,
    fileOf: () => undefined,
    unreadFileOf: () => undefined,
    layoutOfOtherProfile: () => undefined,
    adopt: () => undefined,
    set: (address, resource) => (resource ? resources.set(address, resource) : resources.delete(address)),
    save: async () => undefined,
  };
}

const common = {
  file: "forms.yaml",
  publish: true,
  confirmFieldChanges: [],
  locate: (diagnostic: object) => ({ ...diagnostic, file: "forms.yaml", line: 1, column: 1 }),
} as unknown as Pick<Wanted, "file" | "publish" | "confirmFieldChanges" | "locate">;

export function form(name: string, members: Partial<WantedForm> = {}): WantedForm {
  const object = members.object ?? CANDIDATE;
  const address = `${object.moduleKey}/${object.objectKey}/${name}`;
  return { ...common, kind: "Form", address, name, object, types: ["VIEW", "EDIT"], ...members };
}

export function layout(name: string, members: Partial<WantedLayout> = {}): WantedLayout {
  const surface = members.surface ?? "CONTRACTOR";
  return {
    ...common,
    kind: "Layout",
    address: `${surface}/${name}`,
    name,
    surface,
    supportedModes: ["VIEW", "EDIT"],
    target: {},
    ...members,
  };
}

/** Fields in one region, without ids. */
export function content(...fields: (string | Block)[]): DraftContent {
  return {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
    blocks: fields.map((field) =>
      typeof field === "string"
        ? { type: "field", source: "dynamic_field", ref: { fieldKey: field }, regionKey: "main" }
        : field,
    ),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

/** The steps of a plan as texts: `create createForm`. */
export function stepsOf({ steps }: PlannedResource): string[] {
  return steps.map(({ phase, request }) => `${phase} ${request.operation}`);
}
