/**
 * Compares manifests with the current state. Plans the steps from the current state to the desired state. This module
 * is pure: it sends no request.
 */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { SeedField } from "../schemas/organization.ts";
import { shownFields } from "../contents/compare.ts";
import { isLockOutdated } from "../state/stamp.ts";
import { type Lock, findLocked, lastKnown, type LockedResource, unstoredLock } from "../state/lock.ts";
import type { Wanted } from "../manifests/manifest.ts";
import type { References } from "../manifests/references.ts";
import {
  type ContentState,
  type Current,
  type FormState,
  type Subject,
  subjectOf,
  surfaceOf,
  type VersionState,
} from "../state/state.ts";
import { versionText } from "./content-steps.ts";
import { type DefaultsPlan, orderAssignments, planDefaults, USUAL_ORDER } from "./defaults.ts";
import { readDigests } from "./digests.ts";
import { findSurplus, planDeletion, planForm, type Surplus } from "./form-steps.ts";
import { planLayout } from "./layout-steps.ts";
import {
  CONTENT_OPERATIONS,
  fieldsOwner,
  type Parts,
  type Phase,
  type Plan,
  type PlannedResource,
  type PlannedStep,
  type ReadState,
  type Stamping,
  savesContent,
} from "./planned.ts";
import { deletedNote, deletedRenames, type LikelyRename, renameNote } from "./rename-hints.ts";
import { objectText } from "../lists/addresses.ts";

export type PlanOptions = {
  wanted: readonly Wanted[];
  current: Current;
  /** What the last apply or export recorded. Default: nothing. */
  lock?: Pick<Lock, "get">;
  /**
   * Whether the plan deletes forms without a manifest. This applies only to objects with a form manifest. A saved plan
   * has the ids of the forms that it deletes.
   */
  prune: boolean | ReadonlySet<string>;
  /** Addresses that manifests outside `wanted` describe. Forms with these addresses are not pruned. */
  described?: ReadonlySet<string>;
  /**
   * The values of --not-created (`ADDRESS@TIME`) for layouts with an unanswered creation, by address. Absent without
   * such layouts.
   */
  inDoubt?: ReadonlyMap<string, readonly string[]>;
  /** The result of `likelyRenames`. Absent without likely renames. */
  renames?: ReadonlyMap<string, LikelyRename>;
  /**
   * Returns the file of the last apply of a form, by its address or id. Undefined if this run has read the file.
   * Absent if there are no unread files.
   */
  unreadFileOf?: (address: string, formId: string) => string | undefined;
  /** The addresses to plan. If empty, all addresses are planned. */
  targets: readonly string[];
  publish: boolean;
  stamp: Stamping;
  /** Returns the name of a role or member, for texts. */
  nameOf?: References["nameOf"];
  /**
   * Returns the current fields that the layout of a manifest can show. Undefined if the target does not show its
   * fields.
   */
  fieldsOf?: (wanted: Wanted) => readonly SeedField[] | undefined;
};

/**
 * Plans the steps for all manifests. The run time is linear in the size of the manifests and of the current state.
 *
 * @throws USAGE if a target is not the address of a manifest or of a pruned form
 */
export function planChanges(options: PlanOptions): Plan {
  const { wanted, current, lock = unstoredLock(), publish, stamp, nameOf = () => undefined } = options;
  const { renames = new Map<string, LikelyRename>() } = options;
  const forms = wanted.filter((each) => each.kind === "Form");
  const surplus = options.prune ? findSurplus(forms, current, options) : [];
  const isTarget = targetFilter(options.targets, [...wanted, ...surplus.map(({ subject }) => subject)]);
  const chosen = wanted.filter(isTarget);
  const deleted = surplus.filter(({ subject }) => isTarget(subject));
  const defaults = defaultsOf(chosen, deleted, current);
  const orders = orderAssignments(
    chosen
      .filter((each) => each.kind === "Layout")
      .map((each) => ({ wanted: each, state: current.layouts.get(each.address) })),
    current.organizationDefaults,
  );
  const digestOfRead = readDigests(current);

  const contextOf = (each: Wanted, content: ContentState | undefined) => ({
    ...usableLock(each, content, lastKnown(each, findLocked(lock, each)), publish),
    fields: each.content && options.fieldsOf?.(each),
    publish,
    stamp,
    nameOf,
  });
  const noteMissing = ({ notes }: Parts, each: Wanted) => {
    const rename = renames.get(each.address);
    const deletion = deletedNote(each, findLocked(lock, each), current);
    notes.push(...(rename ? [renameNote(rename)] : []), ...(deletion === undefined ? [] : [deletion]));
  };

  const resources = chosen.map((each): PlannedResource => {
    const { address } = each;
    const subject = subjectOf(each);
    if (each.kind === "Layout") {
      const state = current.layouts.get(address);
      const context = contextOf(each, state?.content);
      const order = orders.get(address) ?? USUAL_ORDER;
      const inDoubt = options.inDoubt?.get(address) ?? [];
      const { listsLayouts } = current;
      const parts = planLayout(each, { ...context, state, order, listsLayouts, inDoubt });
      if (!state) noteMissing(parts, each);
      noteOutdatedLock(parts, context.outdatedBy);
      return toResource(each, parts, {
        subject,
        read: digestOfRead(subject),
        ids: state && { layoutId: state.layoutId },
      });
    }
    const state = current.forms.get(address);
    const context = contextOf(each, state?.content);
    const parts = planForm(each, { ...context, state, defaults: defaults.get(address)! });
    if (!state) noteMissing(parts, each);
    noteOutdatedLock(parts, context.outdatedBy);
    // A later change of the draft makes the plan stale only if the plan writes the content.
    const read = { ...subject, content: parts.steps.some(({ request }) => CONTENT_OPERATIONS.has(request.operation)) };
    return toResource(each, parts, { subject: read, read: digestOfRead(read), ids: state && idsOf(state) });
  });

  const renameWarnings = deletedRenames(renames);
  const deletions = deleted.map((each): PlannedResource => {
    const { subject, state } = each;
    const { address, object } = subject;
    const file = options.unreadFileOf?.(address, state.form.id);
    const unread = file === undefined ? undefined : `it was last applied from ${file}, which this command did not read`;
    const parts = planDeletion(each, defaults.get(address)!, renameWarnings.get(state.form.id) ?? unread);
    const ids = idsOf(state);
    return {
      address,
      kind: "Form",
      action: "delete",
      object,
      ...ids,
      ...parts,
      subject,
      read: digestOfRead(subject, state),
    };
  });
  return { resources: waitForFields([...resources, ...deletions]) };
}

/** @throws USAGE if a target is unknown */
function targetFilter(
  targets: readonly string[],
  known: readonly { address: string }[],
): (each: { address: string }) => boolean {
  if (targets.length === 0) return () => true;
  const addresses = new Set(known.map(({ address }) => address));
  const unknown = targets.filter((target) => !addresses.has(target));
  if (unknown.length > 0) {
    const names = unknown.map((target) => `"${target}"`).join(", ");
    throw new FormctlError("USAGE", `no manifest has the address ${names}`, targetHint(unknown[0]!, [...addresses]));
  }
  const chosen = new Set(targets);
  return ({ address }) => chosen.has(address);
}

function targetHint(target: string, addresses: readonly string[]): string | undefined {
  // Users often type the name alone.
  const named = addresses.filter((address) => address.endsWith(`/${target}`));
  const near = named.length === 1 ? named[0] : nearest(target, addresses);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return addresses[0] === undefined ? undefined : `Use an address as a plan prints it: "${addresses[0]}".`;
}

function defaultsOf(
  wanted: readonly Wanted[],
  deleted: readonly Surplus[],
  current: Current,
): Map<string, DefaultsPlan> {
  const planned = wanted.flatMap((each) =>
    each.kind === "Form"
      ? [{ object: each.object, wanted: each, address: each.address, state: current.forms.get(each.address) }]
      : [],
  );
  const pruned = deleted.map(({ subject: { object, address }, state }) => ({
    object,
    address,
    state,
    wanted: undefined,
  }));
  const byObject = Map.groupBy([...planned, ...pruned], ({ object }) => objectText(object));
  const plans = [...byObject].map(([object, group]) => planDefaults(group, current.objects.get(object)?.forms ?? []));
  return new Map(plans.flatMap((plan) => [...plan]));
}

function idsOf({ form }: FormState): { formId: string; layoutId?: string } {
  return { formId: form.id, ...(form.viewLayoutId !== undefined && { layoutId: form.viewLayoutId }) };
}

function toResource(
  wanted: Wanted,
  parts: Parts,
  {
    subject,
    read,
    ids,
  }: { subject: Subject; read: ReadState; ids: { formId?: string; layoutId?: string } | undefined },
): PlannedResource {
  const action = parts.steps.length === 0 ? "none" : ids ? "update" : "create";
  return {
    address: wanted.address,
    kind: wanted.kind,
    action,
    ...(wanted.kind === "Form" && { object: wanted.object }),
    ...ids,
    // The search for the line takes time, so resources without steps have no line.
    ...(action !== "none" && lineOf(wanted)),
    ...(wanted.computedFrom !== undefined && { computedFrom: wanted.computedFrom }),
    ...parts,
    subject,
    read,
  };
}

/** Returns the line of a manifest. Empty for a manifest of a promotion, which is in no file. */
function lineOf({ locate }: Wanted): Pick<PlannedResource, "place"> {
  const { file, line, address } = locate({ severity: "error", code: "", message: "" });
  return address === undefined ? { place: { file, line } } : {};
}

/**
 * Returns the lock entry. If the lock is outdated (see `isLockOutdated`), the base of the returned entry is empty. It
 * is then unknown whether the manifest or the target has changed.
 *
 * @returns `outdatedBy`: the published version that the lock does not know. Null if the lock is not outdated
 */
function usableLock(
  wanted: Wanted,
  current: ContentState | undefined,
  locked: LockedResource | undefined,
  publish: boolean,
): { locked: LockedResource | undefined; outdatedBy: VersionState | null } {
  const { content } = wanted;
  const isOutdated =
    content &&
    current &&
    locked &&
    isLockOutdated(content, surfaceOf(wanted), current, locked, publish && wanted.publish);
  if (!isOutdated) return { locked, outdatedBy: null };
  return { locked: { ...locked, base: {} }, outdatedBy: current.published };
}

/** Adds the drift and the note for an outdated lock. Call this function after all steps are planned. */
function noteOutdatedLock({ drift, notes, steps }: Parts, outdatedBy: VersionState | null): void {
  if (!outdatedBy) return;
  drift["content"] = "differs";
  const commit = outdatedBy.stamp?.ref === undefined ? "" : ` of ${outdatedBy.stamp.ref}`;
  const version = versionText(outdatedBy);
  const publishes = steps.some(({ request }) => request.operation === "publishLayout");
  const outcome = publishes
    ? `this apply replaces it; ${version} remains in the version history`
    : "this apply leaves it published";
  notes.push(
    `the lock is outdated: an apply${commit} that it does not know published ${version}. Either these files are older than that ` +
      `apply, or they were reverted together with the lock: ${outcome}`,
  );
}

/**
 * Moves some drafts to `loseFields`, the last phase for drafts. Such a draft shows a field that another draft creates
 * late. Most fields are created in the phase `fields`, before other drafts are saved. But a resource that loses modes
 * saves its draft after the phase `fields`. Other drafts that show the new fields of such a resource must be saved even
 * later.
 */
function waitForFields(resources: PlannedResource[]): PlannedResource[] {
  /** The address of the resource that creates a field late, by the owner and the key of the field. */
  const late = new Map<string, Map<string, string>>();
  for (const resource of resources) {
    for (const { phase, request } of resource.steps) {
      if (!savesContent(request) || (phase !== "narrowContent" && phase !== "loseFields")) continue;
      for (const { action, key } of request.content.stagedFieldDefinitions) {
        if (action !== "create" || key === undefined) continue;
        const owner = fieldsOwner(resource);
        late.set(owner, (late.get(owner) ?? new Map()).set(key, resource.address));
      }
    }
  }
  if (late.size === 0) return resources;
  return resources.map((resource) => {
    const creators = late.get(fieldsOwner(resource));
    const saved = resource.steps.find(({ request }) => request.operation === "saveDraft")?.request;
    if (!creators || saved?.operation !== "saveDraft" || !showsNewField(saved.content, creators, resource.address))
      return resource;
    return { ...resource, steps: resource.steps.map(inLastPhase) };
  });
}

function showsNewField(content: DraftContent, creators: ReadonlyMap<string, string>, address: string): boolean {
  return [...shownFields(content)].some((key) => creators.has(key) && creators.get(key) !== address);
}

function inLastPhase(step: PlannedStep): PlannedStep {
  const { operation } = step.request;
  const phase: Phase = "loseFields";
  return operation === "saveDraft" || operation === "publishLayout" ? { ...step, phase } : step;
}
