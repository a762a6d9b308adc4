/** Edits of a set of manifests, like those of a user between two applies. Each edit leads to a valid set. */

import * as fc from "fast-check";
import type { JsonObject } from "../../src/schemas/json.ts";
import { MODES, type Mode } from "../../src/schemas/words.ts";
import {
  anyContent,
  anyModes,
  anySlot,
  anyStaged,
  anyText,
  type ContentPlan,
  freeObject,
  type SlotPlan,
  type StagedPlan,
} from "./manifest-content.ts";
import {
  anyAccess,
  anyAssignments,
  anyConfig,
  anyForm,
  anyLayout,
  type FormPlan,
  keyedForm,
  type LayoutPlan,
  namesIn,
  pageAddress,
  type State,
  wholeState,
} from "./manifests.ts";

/** `at` is the index of the edited form or layout, modulo the number of forms or layouts. */
export type Edit =
  | { edit: "rename"; at: number; name: string }
  | { edit: "types"; at: number; types: Mode[] }
  | { edit: "active"; at: number; isActive: boolean }
  | { edit: "public"; at: number; isPublic: boolean }
  | { edit: "config"; at: number; config: JsonObject | null }
  | { edit: "defaults"; at: number; defaultFor: Mode[] }
  | { edit: "access"; at: number; access: FormPlan["access"] }
  | { edit: "content"; at: number; content: ContentPlan }
  | { edit: "unmanaged"; at: number }
  | { edit: "slot"; at: number; slot: number; plan: SlotPlan }
  | { edit: "metadata"; at: number; metadata: JsonObject | null }
  | { edit: "stage"; at: number; staged: StagedPlan }
  | { edit: "restage"; at: number; action: "rename" | "retype" | "delete" }
  | { edit: "publish"; at: number; publish: boolean }
  | { edit: "add"; form: FormPlan }
  | { edit: "drop"; at: number }
  | { edit: "addLayout"; layout: LayoutPlan }
  | { edit: "layout"; at: number; change: Partial<LayoutPlan> }
  | { edit: "renameLayout"; at: number; name: string }
  | { edit: "layoutSlot"; at: number; slot: number; plan: SlotPlan };

const at = fc.nat(5);
const edit = <E extends Edit["edit"], T extends object>(name: E, members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ edit: fc.constant(name), ...members }) as unknown as fc.Arbitrary<Extract<Edit, { edit: E }>>;

const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  edit("rename", { at, name: anyText }),
  edit("types", { at, types: anyModes }),
  edit("active", { at, isActive: fc.boolean() }),
  edit("public", { at, isPublic: fc.boolean() }),
  edit("config", { at, config: anyConfig }),
  edit("defaults", { at, defaultFor: fc.subarray([...MODES]) }),
  edit("access", { at, access: anyAccess }),
  edit("content", { at, content: anyContent }),
  edit("unmanaged", { at }),
  edit("slot", { at, slot: fc.nat(8), plan: anySlot }),
  edit("slot", { at, slot: fc.nat(8), plan: anySlot }),
  edit("metadata", { at, metadata: fc.option(freeObject) }),
  edit("stage", { at, staged: anyStaged }),
  edit("restage", { at, action: fc.constantFrom("rename", "retype", "delete") }),
  edit("publish", { at, publish: fc.boolean() }),
  edit("add", { form: anyForm }),
  edit("drop", { at }),
  edit("addLayout", { layout: anyLayout }),
  edit("layout", {
    at,
    change: fc.record(
      {
        supportedModes: anyModes,
        metadata: fc.option(freeObject),
        assignments: anyAssignments,
        publish: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  }),
  edit("renameLayout", { at, name: anyText }),
  edit("layoutSlot", { at, slot: fc.nat(5), plan: anySlot }),
);

/** The changes between two applies. */
export const anyEdits: fc.Arbitrary<Edit[]> = fc.array(anyEdit, { minLength: 1, maxLength: 5 });

/** The changes between two applies that create, change and delete fields. */
export const anyFieldEdits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    edit("stage", { at, staged: anyStaged }),
    edit("restage", { at, action: fc.constantFrom("rename", "retype", "delete") }),
    edit("restage", { at, action: fc.constantFrom("rename", "retype", "delete") }),
    edit("slot", { at, slot: fc.nat(8), plan: anySlot }),
    edit("publish", { at, publish: fc.boolean() }),
  ),
  { minLength: 1, maxLength: 4 },
);

/** Returns the state after edits of an applied state. `label` makes the keys of newly staged fields unique. */
export function edited(before: State, edits: readonly Edit[], label = "e"): State {
  const start: State = { forms: before.forms.map(begun), layouts: before.layouts.map(begun) };
  let state = start;
  for (const [index, each] of edits.entries()) state = changed(state, each, start, `${label}${index}`);
  return wholeState(followed(start, state), namesIn(before));
}

const names = (layout: LayoutPlan) => `${pageAddress(layout)}/${layout.name}`;
const begun = <T extends FormPlan | LayoutPlan>(plan: T): T => ({ ...plan, was: plan.name });

/**
 * Turns `wanted` into a state that can be applied after `before`. A form with the name of an earlier form is the same
 * form.
 *
 * Layouts are never pruned. So earlier layouts that `wanted` does not name are added, without being a default.
 */
export function following(before: State, wanted: State): State {
  const kept = before.layouts
    .filter((layout) => !wanted.layouts.some((one) => names(one) === names(layout)))
    .map((layout) => ({
      ...layout,
      assignments: layout.assignments && { ...layout.assignments, organizationDefault: false },
    }));
  return wholeState(followed(before, { forms: wanted.forms, layouts: [...wanted.layouts, ...kept] }));
}

function changed(state: State, each: Edit, before: State, label: string): State {
  const { forms, layouts } = state;
  if (each.edit === "add") return { forms: [...forms, keyedForm(each.form, label)], layouts };
  if (each.edit === "addLayout") return { forms, layouts: [...layouts, each.layout] };
  if (each.edit === "layout" || each.edit === "layoutSlot" || each.edit === "renameLayout") {
    return { forms, layouts: withOne(layouts, each.at, (layout) => changedLayout(layout, each)) };
  }
  if (each.edit === "drop") {
    const dropped = each.at % forms.length;
    return { forms: forms.length === 1 ? forms : forms.filter((_form, index) => index !== dropped), layouts };
  }
  return { forms: withOne(forms, each.at, (form) => keyedForm(changedForm(form, each, before), label)), layouts };
}

function withOne<T>(all: readonly T[], index: number, change: (one: T) => T): T[] {
  return all.map((one, place) => (place === index % all.length ? change(one) : one));
}

type FormEdit = Exclude<Edit, { edit: "add" | "drop" | "addLayout" | "layout" | "layoutSlot" | "renameLayout" }>;

function changedForm(form: FormPlan, each: FormEdit, before: State): FormPlan {
  const { content } = form;
  switch (each.edit) {
    case "rename":
      return { ...form, name: each.name };
    case "types":
      return { ...form, types: each.types };
    case "active":
      return { ...form, isActive: each.isActive };
    case "public":
      return { ...form, isPublic: each.isPublic };
    case "config":
      return { ...form, config: each.config };
    case "defaults":
      return { ...form, defaultFor: each.defaultFor };
    case "access":
      return { ...form, access: each.access };
    case "content":
      return { ...form, content: each.content };
    case "unmanaged":
      return { ...form, content: undefined };
    case "slot":
      return content
        ? { ...form, content: { ...content, slots: withSlot(content.slots, each.slot, each.plan) } }
        : form;
    case "metadata":
      return content ? { ...form, content: { ...content, metadata: each.metadata } } : form;
    case "stage":
      return content ? { ...form, content: { ...content, staged: [...content.staged, each.staged] } } : form;
    case "restage": {
      // Only the published fields of an earlier apply can be changed.
      const former = form.was === undefined ? undefined : before.forms.find((one) => isSame(one, form));
      if (!content || !former?.content || former.publish === false) return form;
      const made = former.content.staged.filter(({ action }) => action !== "delete").map(({ key }) => key);
      const staged = content.staged.map((one) => (made.includes(one.key) ? { ...one, action: each.action } : one));
      return { ...form, content: { ...content, staged } };
    }
    default:
      return { ...form, publish: each.publish };
  }
}

/** Whether both plans describe the same form. */
function isSame(former: FormPlan, form: FormPlan): boolean {
  return former.object === form.object && former.name === (form.was ?? form.name);
}

function changedLayout(layout: LayoutPlan, each: Extract<Edit, { edit: "layout" | "layoutSlot" | "renameLayout" }>) {
  if (each.edit === "layout") return { ...layout, ...each.change };
  if (each.edit === "renameLayout") return { ...layout, name: each.name };
  const { content } = layout;
  return content
    ? { ...layout, content: { ...content, slots: withSlot(content.slots, each.slot, each.plan) } }
    : layout;
}

function withSlot(slots: readonly SlotPlan[], index: number, plan: SlotPlan): SlotPlan[] {
  return index < slots.length ? slots.map((slot, place) => (place === index ? plan : slot)) : [...slots, plan];
}

/**
 * Keeps a managed property managed if its old value could conflict with the new state:
 * - A default form can't give up the mode and can't be deactivated.
 * - An inactive form can't become a default.
 */
function followed(before: State, state: State): State {
  const forms = state.forms.map((form) => {
    const former = before.forms.find((one) => isSame(one, form));
    return {
      ...form,
      defaultFor: form.defaultFor ?? (former?.defaultFor && []),
      isActive: form.isActive ?? (former?.isActive === false ? true : undefined),
    };
  });
  const layouts = state.layouts.map((layout) => {
    const former = before.layouts.find((one) => names(one) === names({ ...layout, name: layout.was ?? layout.name }));
    return former?.assignments && !layout.assignments
      ? { ...layout, assignments: { organizationDefault: false, roles: [] } }
      : layout;
  });
  return { forms, layouts };
}
