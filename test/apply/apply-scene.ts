/** A store with forms and layouts, and a plan that has a step of every kind. */

import { onTestFinished } from "vitest";
import { applyPlan, type ApplyOptions, type ApplyReport } from "../../src/apply/apply.ts";
import { requireKnownLayouts } from "../../src/apply/unanswered-creations.ts";
import { type Journal, openRuns } from "../../src/apply/journal.ts";
import { recoverCreatedIds } from "../../src/apply/lock-update.ts";
import { type RecordedRun, recordedWrites, unfinishedRuns } from "../../src/apply/recorded-runs.ts";
import { readCurrent } from "../../src/state/read.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../../src/state/lock.ts";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { planChanges } from "../../src/plan/plan.ts";
import type { Plan, PlannedResource, PlannedStep } from "../../src/plan/planned.ts";
import { remainingSteps, shownResource } from "../../src/plan/shown-steps.ts";
import type { Subject } from "../../src/state/state.ts";
import type { Processes } from "../../src/base/host.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { FullService, Service } from "../../src/service.ts";
import type { ContractWorld } from "../contract/provider.ts";
import { temporaryFolder } from "../temporary.ts";
import { form as formManifest, layout as layoutManifest, memoryLock } from "../plan/plan-scene.ts";

export const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
export const TARGET = "local:northwind@/test";
const PLAN = "0123456789abcdef";

export type ApplyWorld = { world: ContractWorld; service: FullService; plan: Plan };

/** A content that shows these fields of the candidate object. */
export function content(...keys: string[]): DraftContent {
  const blocks = keys.map((fieldKey, displayOrder): Block => ({
    id: `f_${fieldKey}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey },
    regionKey: "main",
    displayOrder,
    config: { label: fieldKey },
    requiredPolicy: fieldKey === "full_name" || fieldKey === "email" ? "required" : "optional",
  }));
  return { ...nothing, blocks };
}

const nothing: DraftContent = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }],
  blocks: [],
  stagedFieldDefinitions: [],
  scriptBindings: [],
  metadata: { formctl: { sha256: "0".repeat(64) } },
};

const cardContent: DraftContent = {
  ...nothing,
  blocks: [
    {
      id: "f_risk",
      type: "field",
      source: "custom_field",
      ref: { fieldKey: "risk_class" },
      regionKey: "main",
      displayOrder: 0,
      config: { label: "Risk class" },
    },
  ],
};

export function resource(
  address: string,
  action: PlannedResource["action"],
  steps: readonly (Pick<PlannedStep, "phase" | "request"> & Partial<PlannedStep>)[],
  members: Partial<PlannedResource> = {},
): PlannedResource {
  const [, , name = address] = address.split("/");
  const subject: Subject = {
    kind: "Form",
    address,
    object: CANDIDATE,
    name,
    types: [],
    content: true,
    access: "rows",
    defaultFor: [],
    fields: [],
  };
  return {
    address,
    kind: "Form",
    action,
    object: CANDIDATE,
    changes: [],
    effects: [],
    notes: [],
    needs: [],
    subject,
    read: { record: `read ${address}`, defaults: "" },
    drift: {},
    steps: steps.map((step) => ({ replaces: {}, writes: {}, ...step })),
    base: {},
    ...members,
  };
}

/** What the steps of a resource were made from: its manifest, or the object of a form that is deleted. */
const sources = new WeakMap<PlannedResource, Wanted | typeof CANDIDATE>();

/** Makes the plan of these manifests. It deletes only these forms. */
async function planAgain(
  service: Service,
  { wanted, deleted, lock }: { wanted: readonly Wanted[]; deleted: readonly string[]; lock: Lock },
): Promise<Plan> {
  const current = await readCurrent({
    service,
    wanted,
    objects: deleted.length > 0 ? [CANDIDATE] : [],
    known: knownLayouts(lock, wanted),
    withoutContent: layoutsWithoutContent(lock, wanted),
    concurrency: 4,
    publish: true,
  });
  return planChanges({ wanted, current, lock, prune: new Set(deleted), targets: [], publish: true, stamp: {} });
}

/**
 * Creates the forms and layouts on which the plan works. The plan
 * - creates two forms
 * - changes a form and removes a mode of this form
 * - deletes a form
 * - creates a layout
 * - changes another layout
 */
export async function setScene(world: ContractWorld): Promise<ApplyWorld> {
  const service = await world.as("northwind");
  const { organizations } = await world.local.show();
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  const old = await service.createForm({ ...CANDIDATE, body: { name: "Old intake", types: ["CREATE", "VIEW"] } });
  const doomed = await service.createForm({ ...CANDIDATE, body: { name: "Doomed", types: ["VIEW"] } });
  await service.updateFormDefaults({ ...CANDIDATE, body: { defaultCreateFormId: old.id } });
  await service.createLayout({
    body: { surface: "ORGANIZATION", supportedModes: ["VIEW"], target: {}, name: "Ops", clientMutationId: "ops" },
  });
  const wanted: Wanted[] = [
    formManifest("Profile", {
      content: content("full_name", "email", "phone"),
      access: { users: [], roles: [{ roleId, types: ["VIEW"] }] },
      defaultFor: ["VIEW", "EDIT"],
    }),
    formManifest("Intake", { types: ["CREATE"], content: content("full_name", "email"), defaultFor: ["CREATE"] }),
    formManifest("Old intake", { types: ["VIEW"], config: { title: "Old" }, content: content("notes") }),
    layoutManifest("Card", {
      content: cardContent,
      assignments: { organizationDefault: true, roles: [{ roleId, priority: 5 }] },
    }),
    layoutManifest("Ops", { surface: "ORGANIZATION", supportedModes: ["VIEW"], metadata: { team: "ops" } }),
  ];
  const plan = await planAgain(service, { wanted, deleted: [doomed.id], lock: memoryLock() });
  for (const each of plan.resources)
    sources.set(each, wanted.find(({ address }) => address === each.address) ?? CANDIDATE);
  return { world, service, plan };
}

/** Everything that a user can see, without ids and times. A duplicate record appears twice. */
export async function picture(service: FullService): Promise<unknown> {
  const forms = (await service.listForms({ ...CANDIDATE, query: { limit: 100 } })).data;
  const layouts = await service.listLayouts({});
  const versions = async (layoutId: string) =>
    (await service.listVersions({ layoutId })).map(({ status, version, regions, blocks, metadata }) => ({
      status,
      version,
      regions,
      blocks,
      metadata,
    }));
  const pictures = [
    ...forms.map(async (form) => ({
      form: form.name,
      types: form.types,
      isActive: form.isActive,
      config: form.config,
      defaults: [form.isDefaultCreate, form.isDefaultView, form.isDefaultEdit],
      usable: form.usableTypes,
      access: await service.getFormAccess({ ...CANDIDATE, formId: form.id }),
      versions: await versions(form.viewLayoutId),
    })),
    ...layouts
      .filter(({ target }) => target["formId"] === undefined)
      .map(async ({ id, name, surface, supportedModes, metadata, assignments }) => ({
        layout: name,
        surface,
        supportedModes,
        metadata,
        assignments: assignments.map(({ roleId, priority, isDefault }) => ({ roleId, priority, isDefault })),
        versions: await versions(id),
      })),
  ];
  const texts = (await Promise.all(pictures)).map((each) => JSON.stringify(each));
  return texts.sort().map((text) => JSON.parse(text) as unknown);
}

export function runsFolder(): string {
  // In memory, because this is faster. journal.test.ts asserts that entries reach the disk.
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return folder;
}

let lives = 0;

/** A process that every later process regards as exited. */
export function mortal(): Processes {
  return { self: { pid: ++lives, host: "here", startedAt: String(lives) }, isRunning: () => false };
}

export type Run = Partial<Omit<ApplyOptions, "journal">> & {
  service: FullService;
  folder: string;
  watchJournal?: (journal: Journal) => Journal;
  /** Whether the first run too compares the plan with the state from which it was made. */
  isSealed?: boolean;
  notCreated?: readonly string[];
};

/** Applies a plan. Resumes it where earlier runs in the same folder ended: its outcomes are those of the steps left. */
export async function carryOut(
  whole: Plan,
  { folder, watchJournal, isSealed, notCreated = [], ...options }: Run,
): Promise<ApplyReport> {
  const { service } = options;
  const runs = await openRuns(folder, mortal());
  const here = await runs.list(TARGET);
  const addresses = new Set(whole.resources.map(({ address }) => address));
  const begun = unfinishedRuns(here, { plan: PLAN, addresses });
  const plan = begun.length > 0 || isSealed ? await leftOf(whole, service, { begun, here }) : whole;
  await requireKnownLayouts(plan, { service, target: TARGET, runs: here, notCreated });
  const now = () => new Date("2026-03-02T09:00:00.000Z");
  const opened = await runs.begin({ at: now(), plan: PLAN, target: TARGET });
  const journal = watchJournal ? watchJournal(opened) : opened;
  const report = await applyPlan(plan, {
    journal,
    concurrency: 4,
    strict: false,
    now,
    sleep: async () => undefined,
    ending: new AbortController().signal,
    onStep: () => undefined,
    ...options,
  });
  const isDone = report.outcomes.every(({ status }) => status === "done");
  await journal.write({ event: "end", at: now().toISOString(), outcome: isDone ? "done" : "partial" });
  await journal.close();
  await runs.close();
  return report;
}

/** Makes a plan again from the current state. @throws if another user changed a resource */
async function leftOf(
  whole: Plan,
  service: Service,
  { begun, here }: { begun: readonly RecordedRun[]; here: readonly RecordedRun[] },
): Promise<Plan> {
  const lock = memoryLock();
  // A run with an outcome has written the ids into the lock, which this scene does not keep.
  const interrupted = here.map(({ outcome: _outcome, ...run }) => run);
  await recoverCreatedIds(interrupted, async () => lock);
  const wanted = whole.resources.flatMap((each) => {
    const source = sources.get(each)!;
    return "kind" in source ? [source] : [];
  });
  const deleted = whole.resources.flatMap(({ action, formId }) => (action === "delete" ? formId! : []));
  const again = await planAgain(service, { wanted, deleted, lock });
  const shown = new Map(whole.resources.map((each) => [each.address, shownResource(each)]));
  const { plan, stale } = remainingSteps(again, shown, begun.length > 0 ? recordedWrites(begun) : undefined);
  if (stale.length > 0) throw new Error(`changed by another user: ${stale.join(", ")}`);
  return plan;
}
