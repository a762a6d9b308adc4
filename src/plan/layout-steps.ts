/** Plans the steps for one layout that no form owns: its record, content and assignments. */

import type { SeedField } from "../schemas/organization.ts";
import type { LockedResource } from "../state/lock.ts";
import type { WantedLayout } from "../manifests/manifest.ts";
import type { LayoutState } from "../state/state.ts";
import { canonicalAssignments, layoutChanges } from "./changes.ts";
import { asDocumented, sortedModes } from "../schemas/words.ts";
import type { NameOf } from "../manifests/references.ts";
import { planContent } from "./content-steps.ts";
import type { AssignmentOrder } from "./defaults.ts";
import { aspectOf, creationAspects, memberAspects } from "./digests.ts";
import { compareAspect, missingAspect } from "./drift.ts";
import { widened } from "./form-steps.ts";
import { addStep, newParts, type Parts, type Phase, type Stamping, type StepRequest } from "./planned.ts";

export type LayoutContext = {
  state: LayoutState | undefined;
  /** Whether the server lists layouts. If so, a layout that was not found does not exist. */
  listsLayouts: boolean;
  /** The values of --not-created for earlier creations whose outcome is unknown: see PlanOptions. */
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
  const { state, locked } = context;
  const { content, supportedModes: modes } = wanted;
  const before = state?.supportedModes ?? [];
  const removed = before.filter((mode) => !modes.includes(mode));
  const added = modes.filter((mode) => !before.includes(mode));
  const gainsModes = state ? widenLayout(parts, wanted, state, locked).gainsModes : true;
  if (!state) createLayout(parts, wanted, context);
  if (content) {
    planContent(parts, { ...wanted, content }, state?.content, {
      ...context,
      modes,
      narrows: removed.length > 0,
      unpublished: state?.supportedModes || gainsModes ? added : [],
      inPlace: undefined,
    });
  }
  planAssignments(parts, wanted, context);
  if (removed.length > 0) {
    addUpdate(parts, "narrow", asDocumented({ supportedModes: [...modes] }), state);
  }
  parts.changes = layoutChanges(parts.steps, state, context);
  return parts;
}

function createLayout(parts: Parts, wanted: WantedLayout, { listsLayouts, inDoubt }: LayoutContext): void {
  const { address, name, surface, supportedModes, target, metadata } = wanted;
  missingAspect(parts, "name", name);
  missingAspect(parts, "supportedModes", sortedModes(supportedModes));
  if (metadata !== undefined) missingAspect(parts, "metadata", metadata);
  const members = { supportedModes: [...supportedModes], name, ...(metadata !== undefined && { metadata }) };
  const body = { surface, target, ...members };
  addStep(parts, "create", { operation: "createLayout", body: asDocumented(body) }, creationAspects(members));
  if (inDoubt.length > 0) {
    const answers = inDoubt.map((answer) => ` --not-created "${answer}"`).join("");
    parts.notes.push(
      "the outcome of an earlier creation is unknown, and this server does not list layouts: apply stops (6) until a user has " +
        "checked whether the layout exists. If it exists, formctl export LAYOUT_ID --into FOLDER adds its id to the lock (if the " +
        `server does not show the layout by its id, add it to .formctl/lock.json: "${address}": {"layoutId": "LAYOUT_ID", ` +
        `"base": {}}). If not: formctl apply PATH${answers}`,
    );
  } else if (!listsLayouts) {
    parts.notes.push(
      "this server does not list layouts, and the lock knows none by this name: if the layout exists, a second one will be created",
    );
  }
}

/**
 * Adds the step that updates the name, adds modes and updates the metadata. A later step removes modes.
 *
 * @returns `gainsModes`: whether modes have to be added or removed. If the server does not show the current modes, the
 *   modes in the lock are used
 */
function widenLayout(
  parts: Parts,
  { name, supportedModes: modes, metadata }: WantedLayout,
  state: LayoutState,
  locked: LockedResource | undefined,
): { gainsModes: boolean } {
  const compare = (aspect: string, wanted: unknown, current: unknown) =>
    wanted !== undefined && compareAspect(parts, { name: aspect, wanted, current }, locked);
  const before = state.supportedModes;
  const isRenamed = compare("name", name, state.name);
  const gainsModes = compare("supportedModes", sortedModes(modes), before && sortedModes(before));
  const isMetadataWritten = compare("metadata", metadata, state.metadata);
  const isWidened = gainsModes && (!before || modes.some((mode) => !before.includes(mode)));
  const body = {
    ...(isRenamed && { name }),
    ...(isWidened && { supportedModes: widened(before ?? [], modes) }),
    ...(isMetadataWritten && metadata !== undefined && { metadata }),
  };
  if (Object.keys(body).length > 0) addUpdate(parts, "widen", asDocumented(body), state);
  return { gainsModes };
}

function addUpdate(
  parts: Parts,
  phase: Phase,
  body: (StepRequest & { operation: "updateLayout" })["body"],
  state: LayoutState | undefined,
): void {
  const members = Object.keys(body);
  const aspects = { replaces: memberAspects(members, { ...state }), writes: memberAspects(members, { ...body }) };
  addStep(parts, phase, { operation: "updateLayout", body }, aspects);
}

function planAssignments(parts: Parts, { assignments }: WantedLayout, { state, order, locked }: LayoutContext): void {
  if (!assignments) return;
  const wanted = canonicalAssignments(assignments);
  const before = state ? state.assignments : { organizationDefault: false, roles: [] };
  const current = before && canonicalAssignments(before);
  if (state) {
    if (!compareAspect(parts, { name: "assignments", wanted, current }, locked) && !order.leavesFirst) return;
    if (order.leavesFirst && before) {
      const leave = { operation: "replaceAssignments", organizationDefault: false, roles: before.roles } as const;
      const left = canonicalAssignments(leave);
      addStep(parts, "create", leave, {
        replaces: aspectOf("assignments", current),
        writes: aspectOf("assignments", left),
      });
      parts.effects.push(
        "temporarily stops being the organization default, because modes move to or from another layout",
      );
    }
  } else {
    missingAspect(parts, "assignments", wanted);
    if (!assignments.organizationDefault && assignments.roles.length === 0) return;
  }
  const { organizationDefault, roles } = assignments;
  const request = { operation: "replaceAssignments", organizationDefault, roles } as const;
  const aspects = { replaces: aspectOf("assignments", current), writes: aspectOf("assignments", wanted) };
  addStep(parts, order.phase, request, aspects);
  for (const { name, layoutId } of order.rivals) {
    parts.notes.push(
      `the layout "${name}" (${layoutId}), which no manifest describes, is the organization's default: the server refuses this ` +
        "layout (409) until the default of that layout is cleared",
    );
  }
}
