/** A store with forms and layouts, and a hand-made plan that has a step of every kind. */

import { onTestFinished } from "vitest";
import { applyPlan, type ApplyOptions, type ApplyReport } from "../../../src/manifests/apply/apply.ts";
import { requireKnownLayouts } from "../../../src/manifests/apply/unanswered-creations.ts";
import { type Journal, openRuns } from "../../../src/manifests/apply/journal.ts";
import { unfinishedRuns } from "../../../src/manifests/apply/recorded-runs.ts";
import { staleResources } from "../../../src/manifests/plan/plan-file.ts";
import { readDigests } from "../../../src/manifests/plan/digests.ts";
import { readSubjects } from "../../../src/manifests/current/read.ts";
import type { Subject } from "../../../src/manifests/state.ts";
import type { Plan, PlannedResource, PlannedStep } from "../../../src/manifests/plan/planned.ts";
import { resumePlan } from "../../../src/manifests/apply/resume-saved-plan.ts";
import type { Processes } from "../../../src/host.ts";
import type { Block, DraftContent } from "../../../src/schemas/draft.ts";
import type { FullService } from "../../../src/service.ts";
import type { ContractWorld } from "../../contract/provider.ts";
import { temporaryFolder } from "../../temporary.ts";

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
  steps: readonly PlannedStep[],
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
    read: `read ${address}`,
    drift: {},
    steps,
    base: {},
    ...members,
  };
}

/** The steps that save a draft and publish it. */
function shown(of: DraftContent, replaces: string | null | undefined, published: string | null): PlannedStep[] {
  return [
    { phase: "content", request: { operation: "saveDraft", content: of, replaces } },
    { phase: "content", request: { operation: "publishLayout", confirmFieldChanges: [], published } },
  ];
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
  const ops = await service.createLayout({
    body: { surface: "ORGANIZATION", supportedModes: ["VIEW"], target: {}, name: "Ops", clientMutationId: "ops" },
  });
  const [oldDraft] = await service.listVersions({ layoutId: old.viewLayoutId });
  const roles = [{ roleId, types: ["VIEW" as const] }];
  const plan: Plan = {
    resources: [
      resource("staffing/candidate/Profile", "create", [
        {
          phase: "create",
          request: { operation: "createForm", object: CANDIDATE, body: { name: "Profile", types: ["VIEW", "EDIT"] } },
        },
        ...shown(content("full_name", "email", "phone"), undefined, null),
        { phase: "access", request: { operation: "replaceFormAccess", body: { users: [], roles } } },
        { phase: "defaults", request: { operation: "updateFormDefaults", take: ["VIEW", "EDIT"], leave: [] } },
      ]),
      resource("staffing/candidate/Intake", "create", [
        {
          phase: "create",
          request: { operation: "createForm", object: CANDIDATE, body: { name: "Intake", types: ["CREATE"] } },
        },
        ...shown(content("full_name", "email"), undefined, null),
        { phase: "defaults", request: { operation: "updateFormDefaults", take: ["CREATE"], leave: [] } },
      ]),
      resource(
        "staffing/candidate/Old intake",
        "update",
        [
          { phase: "widen", request: { operation: "updateForm", body: { config: { title: "Old" } } } },
          ...shown(content("full_name", "email", "notes"), oldDraft!.id, null),
          { phase: "narrow", request: { operation: "updateForm", body: { types: ["VIEW"] } } },
          { phase: "narrowContent", request: { operation: "saveDraft", content: content("notes"), replaces: null } },
          {
            phase: "narrowContent",
            request: { operation: "publishLayout", confirmFieldChanges: [], published: null },
          },
        ],
        { formId: old.id, layoutId: old.viewLayoutId },
      ),
      resource("staffing/candidate/Doomed", "delete", [{ phase: "delete", request: { operation: "deleteForm" } }], {
        formId: doomed.id,
        layoutId: doomed.viewLayoutId,
      }),
      resource(
        "CONTRACTOR/Card",
        "create",
        [
          {
            phase: "create",
            request: {
              operation: "createLayout",
              body: { surface: "CONTRACTOR", supportedModes: ["VIEW", "EDIT"], target: {}, name: "Card" },
            },
          },
          ...shown(cardContent, undefined, null),
          {
            phase: "access",
            request: { operation: "replaceAssignments", organizationDefault: true, roles: [{ roleId, priority: 5 }] },
          },
        ],
        { kind: "Layout" },
      ),
      resource(
        "ORGANIZATION/Ops",
        "update",
        [{ phase: "widen", request: { operation: "updateLayout", body: { metadata: { team: "ops" } } } }],
        { kind: "Layout", layoutId: ops.id },
      ),
    ],
  };
  return { world, service, plan };
}

/** Returns the plan with the digests of the current state. A saved plan has such digests. */
export async function sealed({ service, plan }: Pick<ApplyWorld, "service" | "plan">): Promise<Plan> {
  const resources = plan.resources.map((each): PlannedResource => {
    if (each.kind === "Form") return each;
    const { address } = each;
    const [surface = "", name = ""] = address.split("/");
    const subject = { kind: "Layout", address, surface, target: {}, name, content: true, fields: [], isDefault: false };
    return { ...each, subject: subject as Subject };
  });
  const subjects = resources.map(({ subject }) => subject);
  const digestOf = readDigests(await readSubjects({ service, subjects, known: new Map(), concurrency: 4 }));
  return { resources: resources.map((each) => ({ ...each, read: digestOf(each.subject) })) };
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
  /** Whether the plan has the digests of the state from which it was made. */
  isSealed?: boolean;
  notCreated?: readonly string[];
};

/** Applies a plan. Resumes it where earlier runs in the same folder ended. */
export async function carryOut(
  plan: Plan,
  { folder, watchJournal, isSealed, notCreated = [], ...options }: Run,
): Promise<ApplyReport> {
  const { service } = options;
  const runs = await openRuns(folder, mortal());
  const here = await runs.list(TARGET);
  const { appliedSteps, stale } = await resumePlan(plan, {
    service,
    runs: unfinishedRuns(here, { plan: PLAN, addresses: new Set(plan.resources.map(({ address }) => address)) }),
    concurrency: 4,
    findStale: async (rest, asPlanned) =>
      isSealed ? staleResources(rest, { service: asPlanned, known: new Map(), concurrency: 4 }) : [],
  });
  if (stale.length > 0) throw new Error(`changed by another user: ${stale.join(", ")}`);
  await requireKnownLayouts(plan, { service, target: TARGET, runs: here, appliedSteps, notCreated });
  const now = () => new Date("2026-03-02T09:00:00.000Z");
  const opened = await runs.begin({ at: now(), plan: PLAN, target: TARGET });
  const journal = watchJournal ? watchJournal(opened) : opened;
  const report = await applyPlan(plan, {
    appliedSteps,
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
