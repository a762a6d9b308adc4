/**
 * Random plans: steps with valid and invalid requests for existing, new, deleted and foreign records. The planner
 * avoids refusals, so it never makes most of these requests. A rehearsal must foretell the refusals anyway.
 */

import type { PlannedResource, PlannedStep, StepRequest } from "../../src/plan/planned.ts";
import type { Subject } from "../../src/state/state.ts";
import type { Block, DraftContent, StagedField } from "../../src/schemas/draft.ts";
import type { Surface, Target } from "../../src/schemas/layout.ts";
import { type Mode, MODES } from "../../src/schemas/words.ts";
import type { SeenForm, SeenLayout, View } from "./random-world.ts";

/** Returns a whole number from 0 to `limit` - 1. */
export type Random = (limit: number) => number;

export function oneOf<T>(random: Random, all: readonly T[]): T {
  return all[random(all.length)]!;
}

export function someOf<T>(random: Random, all: readonly T[]): T[] {
  return all.filter(() => random(2) === 0);
}

const isRare = (random: Random, times = 12) => random(times) === 0;

const NAMES = ["Intake", "Profile", "Desk", "Card"];
const PAGES: { surface: Surface; target: Target }[] = [
  { surface: "CONTRACTOR", target: {} },
  { surface: "CONTRACTOR", target: { scopeId: "north" } },
  { surface: "ORGANIZATION", target: {} },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "candidate" } },
];
const OBJECTS = [
  { moduleKey: "staffing", objectKey: "candidate" },
  { moduleKey: "staffing", objectKey: "candidate" },
  { moduleKey: "staffing", objectKey: "placement" },
];

const MISSING_OBJECT = { moduleKey: "staffing", objectKey: "no_such_object" };

export type PlanKind = {
  /**
   * Whether the plan may contain what a new plan never contains:
   * - a missing object
   * - the creation of a form whose name exists
   * - the layout of a form without the form
   * - outdated versions
   */
  isOutdated: boolean;
};

/** @param seen the state that the plan was compared with. It may be outdated */
export function randomPlan(random: Random, seen: View, { isOutdated }: PlanKind): { resources: PlannedResource[] } {
  const subordinates = isOutdated ? [...seen.subordinates, MISSING_OBJECT] : seen.subordinates;
  const view = { ...seen, subordinates, isFresh: !isOutdated };
  const count = 1 + random(3);
  const resources: PlannedResource[] = [];
  const used = new Set<string>();
  for (let index = 0; index < count; index++) {
    const resource = random(3) === 0 ? layoutResource(random, view, index) : formResource(random, view, index);
    const id = resource.formId ?? resource.layoutId ?? resource.address;
    // A plan has at most one resource for a record.
    if (used.has(id) || (resource.layoutId !== undefined && used.has(resource.layoutId))) continue;
    for (const each of [id, resource.layoutId]) if (each !== undefined) used.add(each);
    resources.push(resource);
  }
  return { resources };
}

type PlanView = View & { isFresh: boolean };

const read = { record: "", defaults: "" };
const unplanned = { changes: [], effects: [], notes: [], needs: [], read, drift: {}, base: {} };

function formResource(random: Random, view: PlanView, index: number): PlannedResource {
  const isNew = view.forms.length === 0 || random(4) === 0;
  const form = isNew ? undefined : oneOf(random, view.forms);
  const object = form?.object ?? (isRare(random) ? oneOf(random, view.subordinates) : oneOf(random, OBJECTS));
  const name = form?.name ?? `${oneOf(random, NAMES)}${view.isFresh ? ` ${random(1_000_000)}` : ""}`;
  const address = `${object.moduleKey}/${object.objectKey}/${name} ${index}`;
  const types = form?.types ?? randomModes(random);
  const steps = form
    ? existingFormSteps(random, view, form)
    : [
        step("create", {
          operation: "createForm",
          object,
          body: { ...formBody(random, true), name: newName(random, name), types: badModes(random, types) },
        }),
        ...followingSteps(random, view, { types, surface: "DYNAMIC_OBJECT", layout: undefined }),
      ];
  const subject: Subject = {
    kind: "Form",
    address,
    // A form to create does not exist. With its address as the name, no existing form is found, whatever name the
    // request has.
    name: form ? name : address,
    content: true,
    fields: [],
    object,
    types,
    access: "unmanaged",
    defaultFor: [],
  };
  return {
    ...unplanned,
    address,
    kind: "Form",
    action: form ? "update" : "create",
    object,
    ...(form && { formId: form.id, layoutId: form.layout.id }),
    subject,
    steps,
  };
}

function existingFormSteps(random: Random, view: PlanView, form: SeenForm): PlannedStep[] {
  if (random(8) === 0) return [step("delete", { operation: "deleteForm" })];
  const steps: PlannedStep[] = [];
  if (random(3) === 0) steps.push(step("widen", { operation: "updateForm", body: formBody(random, false) }));
  steps.push(...followingSteps(random, view, { types: form.types, surface: "DYNAMIC_OBJECT", layout: form.layout }));
  if (random(4) === 0) {
    const body = { types: badModes(random, randomModes(random)), ...(random(3) === 0 && { isActive: false }) };
    steps.push(step("narrow", { operation: "updateForm", body }));
  }
  return steps.length > 0 ? steps : [step("widen", { operation: "updateForm", body: { types: randomModes(random) } })];
}

type Following = { types: readonly Mode[]; surface: Surface; layout: SeenLayout | undefined };

/** Returns the steps for the content, access and defaults of a form. */
function followingSteps(random: Random, view: PlanView, { types, surface, layout }: Following): PlannedStep[] {
  const steps: PlannedStep[] = random(2) === 0 ? contentSteps(random, view, { surface, layout }) : [];
  if (random(4) === 0) {
    steps.push(step("access", { operation: "replaceFormAccess", body: randomAccess(random, view, types) }));
  }
  if (random(3) === 0) {
    const take = isRare(random, 6) ? randomModes(random) : someOf(random, types);
    const leave = MODES.filter((mode) => !take.includes(mode) && random(3) === 0);
    if (take.length + leave.length > 0) {
      steps.push(step("defaults", { operation: "updateFormDefaults", take, leave }));
    }
  }
  return steps;
}

function layoutResource(random: Random, view: PlanView, index: number): PlannedResource {
  const isNew = view.layouts.length === 0 || random(3) === 0;
  // Rarely, the plan changes the layout of a form directly. The service refuses its modes and assignments (R88, R99).
  const seen =
    !view.isFresh && isRare(random) && view.forms.length > 0 ? ownedLayout(oneOf(random, view.forms)) : undefined;
  const layout = seen ?? (isNew ? undefined : oneOf(random, view.layouts));
  const page = layout ?? oneOf(random, PAGES);
  const name = layout?.name ?? `${oneOf(random, NAMES)} ${random(1_000_000)}`;
  const { surface, target } = page;
  const address = `${surface} ${JSON.stringify(target)}/${name} ${index}`;
  const modes = layout?.modes ?? randomModes(random);
  const steps: PlannedStep[] = [];
  if (!layout) {
    const wrong = isRare(random, 8) ? { ...target, ...oneOf(random, WRONG_TARGETS) } : target;
    const body = { name, surface, target: wrong, supportedModes: badModes(random, modes) };
    steps.push(step("create", { operation: "createLayout", body }));
  } else if (random(3) === 0) {
    const body = {
      ...(random(2) === 0 && { name: newName(random, name) }),
      ...(random(2) === 0 && { supportedModes: badModes(random, randomModes(random)) }),
      ...(random(3) === 0 && { metadata: isRare(random) ? { much: "x".repeat(17_000) } : { at: random(9) } }),
    };
    steps.push(step("widen", { operation: "updateLayout", body }));
  }
  if (random(2) === 0) steps.push(...contentSteps(random, view, { surface, layout }));
  if (random(2) === 0 || steps.length === 0) {
    const roles = someOf(random, view.roleIds).map((roleId) => ({
      roleId,
      priority: isRare(random, 10) ? 3_000_000_000 : random(5),
    }));
    if (isRare(random, 8)) roles.push({ roleId: oneOf(random, view.wrongRoleIds), priority: 0 });
    const organizationDefault = random(2) === 0;
    steps.push(step("access", { operation: "replaceAssignments", organizationDefault, roles }));
  }
  const subject: Subject = {
    kind: "Layout",
    address,
    name,
    content: true,
    fields: [],
    surface,
    target,
    isDefault: false,
  };
  return {
    ...unplanned,
    address,
    kind: "Layout",
    action: layout ? "update" : "create",
    ...(layout && { layoutId: layout.id }),
    subject,
    steps,
  };
}

const WRONG_TARGETS: readonly Target[] = [
  { moduleKey: "staffing", objectKey: "no_such_object" },
  { moduleKey: "staffing", objectKey: "candidate", formId: "frm_any" },
];

function ownedLayout({ layout, object, id }: SeenForm): SeenLayout {
  return { ...layout, surface: "DYNAMIC_OBJECT", target: { ...object, formId: id } };
}

function step(phase: PlannedStep["phase"], request: StepRequest): PlannedStep {
  return { phase, request, replaces: {}, writes: {} };
}

function contentSteps(
  random: Random,
  view: PlanView,
  { surface, layout }: { surface: Surface; layout: SeenLayout | undefined },
): PlannedStep[] {
  const content = randomContent(random, view, surface);
  const steps: PlannedStep[] = [];
  const savesDraft = layout === undefined || random(5) > 0;
  if (savesDraft) {
    const isWrong = !view.isFresh && isRare(random, 8);
    const replaces = isWrong ? oneOf(random, [undefined, null, "ver_other"]) : (layout?.draft ?? null);
    steps.push(step("content", { operation: "saveDraft", content, ...(layout && { replaces }) }));
  }
  if (random(5) > 0 || !savesDraft) {
    const published = !view.isFresh && isRare(random) ? null : layout?.published;
    const staged = content.stagedFieldDefinitions.map(({ draftId }) => draftId);
    const confirmFieldChanges = isRare(random) ? ["no_such_change"] : someOf(random, staged);
    // Without a draft, the plan would have nothing to publish.
    const draft = savesDraft ? {} : { draft: layout?.draft ?? "ver_none" };
    steps.push(
      step("content", {
        operation: "publishLayout",
        ...draft,
        confirmFieldChanges,
        ...(layout && published !== undefined && { published }),
      }),
    );
  }
  return steps;
}

function randomContent(random: Random, view: View, surface: Surface): DraftContent {
  const isOfObject = surface === "DYNAMIC_OBJECT";
  const blocks: Block[] = [];
  const add = (key: string, members: Partial<Block> = {}) =>
    blocks.push({
      id: isRare(random, 30) ? "twice" : `b_${blocks.length}`,
      type: "field",
      source: isOfObject ? "dynamic_field" : "custom_field",
      ref: { fieldKey: key },
      regionKey: "main",
      config: { label: key },
      ...members,
    });
  // CREATE needs these fields. Most contents have them.
  for (const key of isOfObject ? view.requiredKeys : []) if (!isRare(random, 15)) add(key);
  for (const key of isOfObject ? view.optionalKeys : view.customKeys) if (random(4) === 0) add(key);
  if (isRare(random, 10)) add("no_such_field");
  if (isRare(random, 15)) add("anything", { grid: { colSpan: 20 } });
  if (isRare(random, 15))
    blocks.push({ id: "w", type: "counter", source: "dashboard", ref: { widgetKey: "w" }, regionKey: "main" });
  const staged: StagedField[] = [];
  for (let count = isRare(random, 3) ? 1 + random(2) : 0; count > 0; count--) {
    staged.push(randomStaged(random, view, isOfObject, staged.length));
  }
  for (const { draftId, action } of staged) {
    if (action === "create" && random(2) === 0) {
      add("", { source: "draft_custom_field", ref: { draftFieldDefinitionId: draftId } });
    }
  }
  const removed = new Set(
    staged.flatMap(({ action, key }) => (action === "delete" || action === "unlink" ? [key] : [])),
  );
  return {
    schemaVersion: 1,
    regions: isRare(random, 40) ? [] : [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
    blocks: random(5) === 0 ? blocks : blocks.filter(({ ref }) => !removed.has(ref?.fieldKey ?? undefined)),
    stagedFieldDefinitions: staged,
    scriptBindings: random(6) === 0 ? [{ scriptId: oneOf(random, ["rate_guard", "none"]), hook: "onRender" }] : [],
    metadata: null,
  };
}

function randomStaged(random: Random, view: View, isOfObject: boolean, index: number): StagedField {
  const draftId = `d_${index}`;
  const keys = isOfObject ? [...view.requiredKeys, ...view.optionalKeys] : view.customKeys;
  const known = keys.length > 0 && !isRare(random, 15) ? oneOf(random, keys) : "no_such_field";
  const type = oneOf(random, ["TEXT", "TEXTAREA", "NUMBER", "SELECT", "DATE"]);
  switch (random(5)) {
    case 0:
    case 1: {
      const key = isRare(random, 6) ? known : `new_${random(1_000_000)}`;
      const config = { options: ["one", "two"], ...(isRare(random, 5) && { required: true }) };
      return { draftId, action: "create", key, name: key, type: isRare(random) ? "NO_TYPE" : type, config };
    }
    case 2:
      return { draftId, action: "delete", key: known };
    case 3:
      return random(4) === 0
        ? { draftId, action: "unlink", key: known }
        : { draftId, action: "update", key: known, name: "Renamed" };
    default:
      return { draftId, action: "update", key: known, type, config: { options: ["one"] } };
  }
}

function randomAccess(random: Random, view: View, types: readonly Mode[]) {
  const modes = () => {
    const chosen = isRare(random, 10) ? randomModes(random) : someOf(random, types);
    return chosen.length > 0 ? chosen : [...types];
  };
  const roles = someOf(random, view.roleIds).map((roleId) => ({ roleId, types: modes() }));
  const users = someOf(random, view.memberIds).map((membershipId) => ({ membershipId, types: modes() }));
  if (isRare(random, 6)) roles.push({ roleId: oneOf(random, view.wrongRoleIds), types: modes() });
  if (isRare(random, 20) && roles[0]) roles.push(roles[0]);
  return { users, roles };
}

function formBody(random: Random, isNew: boolean) {
  return {
    ...(!isNew && random(3) === 0 && { name: newName(random, oneOf(random, NAMES)) }),
    ...(!isNew && random(2) === 0 && { types: badModes(random, randomModes(random)) }),
    ...(random(4) === 0 && { config: isRare(random, 5) ? { blocks: [] } : { title: "A title" } }),
    ...(random(3) === 0 && { isActive: random(3) > 0 }),
    ...(random(4) === 0 && { isPublic: random(2) === 0 }),
  };
}

function newName(random: Random, name: string): string {
  return isRare(random, 20) ? "n".repeat(201) : name;
}

function randomModes(random: Random): Mode[] {
  const modes = someOf(random, MODES);
  return modes.length > 0 ? modes : [...MODES];
}

/** Returns modes that rarely break a rule: an empty list, or one mode twice. */
function badModes(random: Random, modes: readonly Mode[]): Mode[] {
  if (!isRare(random, 20)) return [...modes];
  return random(2) === 0 ? [] : [...modes, modes[0]!];
}
