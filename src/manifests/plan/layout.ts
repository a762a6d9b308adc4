/** One layout's manifest against the layout that is there, or is not. */

import type { JsonObject } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { LockedResource } from "../lock.ts";
import type { WantedLayout } from "../manifest.ts";
import type { Stamping } from "./planned.ts";
import type { NameOf } from "./access.ts";
import type { AssignmentOrder } from "./assignments.ts";
import { planContent } from "./content.ts";
import { widened } from "./form.ts";
import { noteOwnDraft } from "./own-drafts.ts";
import { addStep, asSet, changeOf, compareAspect, missingAspect, newParts, type Parts, valueChanges } from "./parts.ts";
import { replacedAspect, replacedMembers } from "./replaced.ts";
import type { LayoutAssignments, LayoutState } from "../state.ts";

export type LayoutContext = {
  state: LayoutState | undefined;
  /** Whether a layout that is not found is certainly not there. */
  listsLayouts: boolean;
  /** Its creation was sent before and not answered: PlanOptions. */
  inDoubt: readonly string[];
  order: AssignmentOrder;
  locked: LockedResource | undefined;
  publish: boolean;
  stamp: Stamping;
  fields: readonly SeedField[] | undefined;
  nameOf: NameOf;
};

export function planLayout(wanted: WantedLayout, context: LayoutContext): Parts {
  const parts = newParts();
  const { state } = context;
  const { content, supportedModes: modes, surface } = wanted;
  const there = state?.supportedModes ?? [];
  const removed = there.filter((mode) => !modes.includes(mode));
  const added = modes.filter((mode) => !there.includes(mode));
  if (state) changeLayout(parts, wanted, state, context.locked);
  else createLayout(parts, wanted, context);
  if (content) {
    const options = {
      modes,
      narrows: removed.length > 0,
      unpublished: state?.supportedModes || parts.changes.some(({ path }) => path === "supportedModes") ? added : [],
    };
    planContent(parts, { ...wanted, content }, state?.content, { ...context, ...options, surface, inPlace: undefined });
    const publish = context.publish && wanted.publish;
    noteOwnDraft(parts, { content: state?.content, inPlace: undefined, surface, publish });
  }
  planAssignments(parts, wanted, context);
  if (removed.length > 0) {
    const body = { supportedModes: [...modes] };
    addStep(parts, "narrow", { operation: "updateLayout", body }, replacedMembers(Object.keys(body), { ...state }));
  }
  return parts;
}

function createLayout(parts: Parts, wanted: WantedLayout, { listsLayouts, inDoubt }: LayoutContext): void {
  const { address, name, surface, supportedModes, target, metadata } = wanted;
  const given = { supportedModes: asSet(supportedModes), metadata };
  missingAspect(parts, "name", name);
  for (const [member, value] of Object.entries(given)) {
    if (value === undefined) continue;
    missingAspect(parts, member, value);
    parts.changes.push({ kind: "added", path: member, after: value });
  }
  const body = {
    surface,
    supportedModes: [...supportedModes],
    target,
    name,
    ...(metadata !== undefined && { metadata }),
  };
  addStep(parts, "create", { operation: "createLayout", body });
  if (inDoubt.length > 0) {
    const answers = inDoubt.map((answer) => ` --not-created "${answer}"`).join("");
    parts.notes.push(
      "its creation was sent before and not answered, and this server lists no layouts: apply stops (6) until somebody has " +
        "looked. If it is there, formctl export LAYOUT_ID --into FOLDER takes its id into the lock (where the server shows no " +
        `layout by its id, write it into .formctl/lock.json: "${address}": {"layoutId": "LAYOUT_ID", "base": {}}); if it is ` +
        `not, formctl apply PATH${answers}`,
    );
  } else if (!listsLayouts) {
    parts.notes.push(
      "this server does not list layouts, and shows none that the lock knows by this name: if there is one, a second one is made",
    );
  }
}

function changeLayout(
  parts: Parts,
  wanted: WantedLayout,
  state: LayoutState,
  locked: LockedResource | undefined,
): void {
  const { name, supportedModes: modes, metadata } = wanted;
  const there = state.supportedModes;
  const body: Record<string, unknown> = {};
  if (compareAspect(parts, { name: "name", wanted: name, there: state.name }, locked)) {
    body["name"] = name;
    parts.changes.push(changeOf("name", state.name, name));
  }
  if (compareAspect(parts, { name: "supportedModes", wanted: asSet(modes), there: there && asSet(there) }, locked)) {
    parts.changes.push(changeOf("supportedModes", there && asSet(there), asSet(modes)));
    if (!there || modes.some((mode) => !there.includes(mode))) body["supportedModes"] = widened(there ?? [], modes);
  }
  if (
    metadata !== undefined &&
    compareAspect(parts, { name: "metadata", wanted: metadata, there: state.metadata }, locked)
  ) {
    body["metadata"] = metadata;
    parts.changes.push(...metadataChanges(state.metadata, metadata));
  }
  if (Object.keys(body).length > 0)
    addStep(parts, "widen", { operation: "updateLayout", body }, replacedMembers(Object.keys(body), state));
}

function metadataChanges(before: JsonObject | null | undefined, after: JsonObject | null) {
  return valueChanges(["metadata"], before, after);
}

function planAssignments(
  parts: Parts,
  { assignments }: WantedLayout,
  { state, order, locked, nameOf }: LayoutContext,
): void {
  if (!assignments) return;
  const wanted = canonicalAssignments(assignments);
  const there = state ? state.assignments : { organizationDefault: false, roles: [] };
  if (state) {
    const aspect = { name: "assignments", wanted, there: there && canonicalAssignments(there) };
    if (!compareAspect(parts, aspect, locked) && !order.leavesFirst) return;
    if (order.leavesFirst && there) {
      const leave = { operation: "replaceAssignments", organizationDefault: false, roles: there.roles } as const;
      addStep(parts, "create", leave, replacedAspect("assignments", canonicalAssignments(there)));
      parts.effects.push("is not the organization's default while modes move between it and another layout");
    }
  } else {
    missingAspect(parts, "assignments", wanted);
    if (!assignments.organizationDefault && assignments.roles.length === 0) return;
  }
  parts.changes.push(...assignmentChanges(there, assignments, nameOf));
  const replaces = replacedAspect("assignments", there && canonicalAssignments(there));
  const { organizationDefault, roles } = assignments;
  addStep(parts, order.phase, { operation: "replaceAssignments", organizationDefault, roles }, replaces);
  for (const { name, layoutId } of order.rivals) {
    parts.notes.push(
      `the layout "${name}" (${layoutId}), which no manifest speaks of, is the organization default here: the server will refuse this one (409) until that one gives it up`,
    );
  }
}

/** The order of roles means nothing. */
export function canonicalAssignments({ organizationDefault, roles }: LayoutAssignments): unknown {
  return { organizationDefault, roles: roles.map(({ roleId, priority }) => `${roleId} ${priority}`).toSorted() };
}

function assignmentChanges(before: LayoutAssignments | undefined, after: LayoutAssignments, nameOf: NameOf) {
  const flat = ({ organizationDefault, roles }: LayoutAssignments) => ({
    organizationDefault,
    roles: Object.fromEntries(roles.map(({ roleId, priority }) => [nameOf("role", roleId) ?? roleId, { priority }])),
  });
  return valueChanges(["assignments"], before && flat(before), flat(after));
}
