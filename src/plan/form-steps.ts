/**
 * Plans the steps for one form: its record, content, access and defaults. With --prune, also finds the forms to delete,
 * and plans their deletion.
 */

import { plural } from "../base/plural.ts";
import type { FormListedAnswer } from "../schemas/answers.ts";
import type { SeedField } from "../schemas/organization.ts";
import { asDocumented, type ModeWord, sortedModes } from "../schemas/words.ts";
import { digestOf } from "../contents/compare.ts";
import type { LockedResource } from "../state/lock.ts";
import type { WantedForm } from "../manifests/manifest.ts";
import type { Current, FormState, FormSubject } from "../state/state.ts";
import { canonicalAccess, formChanges, lostAccess } from "./changes.ts";
import type { NameOf } from "../manifests/references.ts";
import { planContent } from "./content-steps.ts";
import type { DefaultsPlan } from "./defaults.ts";
import { aspectOf, creationAspects, formAspect, memberAspects, writtenDefaults } from "./digests.ts";
import { compareAspect, missingAspect } from "./drift.ts";
import { addStep, newParts, type Parts, type Stamping } from "./planned.ts";
import { formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";

export type FormContext = {
  state: FormState | undefined;
  defaults: DefaultsPlan;
  locked: LockedResource | undefined;
  publish: boolean;
  stamp: Stamping;
  fields: readonly SeedField[] | undefined;
  nameOf: NameOf;
};

/** Empty access. If the list shows that the access of a form is empty, the access is not read. */
const NO_ACCESS = { users: [], roles: [] };
const OPEN_TO_ALL = "everyone with its public link can submit it";

export function planForm(wanted: WantedForm, context: FormContext): Parts {
  const parts = newParts();
  const { state, nameOf, defaults } = context;
  const { content, types } = wanted;
  const kept: readonly ModeWord[] = types;
  const removed = state ? state.form.types.filter((mode) => !kept.includes(mode)) : [];
  const added = state ? types.filter((mode) => !state.form.types.includes(mode)) : types;
  const isDeactivated = state ? widenForm(parts, wanted, state, context.locked).isDeactivated : false;
  if (!state) createForm(parts, wanted);
  if (content) {
    const unpublished = types.filter((mode) => added.includes(mode) || (state && isUnpublished(state.form, mode)));
    planContent(parts, { ...wanted, content }, state?.content, {
      ...context,
      modes: types,
      narrows: removed.length > 0,
      unpublished,
      inPlace: state?.inPlace,
    });
  }
  addUnpublishedEffect(parts, added, state);
  planAccess(parts, wanted, state, context.locked);
  if (state?.access && !wanted.access) parts.effects.push(...lostAccess(state.access, removed, nameOf));
  planFormDefaults(parts, wanted, context);
  if (state) narrowForm(parts, wanted, state, { removed, isDeactivated });
  const changes = formChanges(parts.steps, state, { nameOf, taken: new Set(defaults.handOver) });
  // A creation always sets `isActive` and `isPublic`. The plan lists only members that the manifest sets.
  const isListed = ({ path }: { path: string }) =>
    (path !== "isActive" && path !== "isPublic") || wanted[path] !== undefined;
  parts.changes = state ? changes : changes.filter(isListed);
  return parts;
}

function createForm(parts: Parts, { object, name, types, isActive, isPublic, config }: WantedForm): void {
  missingAspect(parts, "name", name);
  for (const [member, value] of Object.entries({ types: sortedModes(types), isActive, isPublic, config }))
    if (value !== undefined) missingAspect(parts, member, value);
  // The request contains the default values, because the defaults of servers may differ.
  const body = { name, types: [...types], isActive: isActive ?? true, isPublic: isPublic ?? false };
  const created = { ...body, ...(config !== undefined && { config }) };
  addStep(parts, "create", { operation: "createForm", object, body: created }, creationAspects(created));
  if (isPublic === true) parts.effects.push(OPEN_TO_ALL);
}

/**
 * Adds the step that precedes the changes of the content. The step updates name, config and `isPublic`, activates the
 * form and adds modes. Later, `narrowForm` removes modes and deactivates the form.
 */
function widenForm(
  parts: Parts,
  { name, types, config, isActive, isPublic }: WantedForm,
  { form }: FormState,
  locked: LockedResource | undefined,
): { isDeactivated: boolean } {
  const compare = (aspect: string, wanted: unknown, current: unknown) =>
    wanted !== undefined && compareAspect(parts, { name: aspect, wanted, current }, locked);
  const isRenamed = compare("name", name, form.name);
  compare("types", sortedModes(types), sortedModes(form.types));
  const gainsModes = types.some((mode) => !form.types.includes(mode));
  const isConfigured = compare("config", config, form.config);
  const isActiveWritten = compare("isActive", isActive, form.isActive);
  const isPublicWritten = compare("isPublic", isPublic, form.isPublic);
  const body = {
    ...(isRenamed && { name }),
    ...(gainsModes && { types: widened(form.types, types) }),
    ...(isConfigured && config !== undefined && { config }),
    ...(isActiveWritten && isActive === true && { isActive }),
    ...(isPublicWritten && isPublic !== undefined && { isPublic }),
  };
  const members = Object.keys(body);
  const aspects = { replaces: memberAspects(members, form), writes: memberAspects(members, body) };
  if (members.length > 0) addStep(parts, "widen", { operation: "updateForm", body: asDocumented(body) }, aspects);
  if (isPublic === false && form.isPublic)
    parts.effects.push("its public link stops working permanently: a new link has another address");
  if (body.isPublic === true) parts.effects.push(OPEN_TO_ALL);
  return { isDeactivated: isActiveWritten && isActive === false };
}

/** Returns the desired modes, followed by the current modes that a later step removes. */
export function widened(current: readonly ModeWord[], wanted: readonly ModeWord[]): ModeWord[] {
  return [...wanted, ...current.filter((mode) => !wanted.includes(mode))];
}

function narrowForm(
  parts: Parts,
  { types, access: wantedAccess }: WantedForm,
  { form, access }: FormState,
  { removed, isDeactivated }: { removed: readonly ModeWord[]; isDeactivated: boolean },
): void {
  const body = {
    ...(removed.length > 0 && { types: [...types] }),
    ...(isDeactivated && { isActive: false }),
  };
  if (Object.keys(body).length === 0) return;
  // If the manifest does not manage access, the access rows lose the removed modes too.
  const rows = body.types && !wantedAccess ? aspectOf("access", canonicalAccess(access ?? NO_ACCESS)) : {};
  const members = Object.keys(body);
  const replaces = { ...memberAspects(members, form), ...rows };
  addStep(parts, "narrow", { operation: "updateForm", body }, { replaces, writes: memberAspects(members, body) });
  if (isDeactivated) parts.effects.push("it can't be used until it is active again");
}

/**
 * Adds an effect for added modes that can't be used after this plan. A mode may be added again after an earlier
 * removal. A published version may then already serve the mode.
 */
function addUnpublishedEffect(
  { steps, effects }: Parts,
  added: readonly ModeWord[],
  state: FormState | undefined,
): void {
  if (state?.inPlace || steps.some(({ request }) => request.operation === "publishLayout")) return;
  const served = state?.content?.published?.modes;
  const uncovered = added.filter((mode) => !served?.includes(mode));
  if (uncovered.length === 0) return;
  const unless = state && !served && mayBePublished(state) ? ", unless an earlier publication was made for it" : "";
  effects.push(`${uncovered.join(", ")} can't be used until the layout is published for it (DRAFT_ONLY)${unless}`);
}

/** Whether a published version may serve a mode that the form currently lacks. */
function mayBePublished({ form, content }: FormState): boolean {
  if (content) return content.published !== null || content.isHidden === true;
  return !form.types.every((mode) => isUnpublished(form, mode));
}

/** Whether the server reports that nothing is published for the mode (R25). */
function isUnpublished({ layoutAvailability }: FormListedAnswer, mode: ModeWord): boolean {
  const state = layoutAvailability?.[mode]?.state;
  return state === "DRAFT_ONLY" || state === "MISSING";
}

function planAccess(
  parts: Parts,
  { access }: WantedForm,
  state: FormState | undefined,
  locked: LockedResource | undefined,
): void {
  if (!access) return;
  const wanted = canonicalAccess(access);
  const current = canonicalAccess(state?.access ?? NO_ACCESS);
  if (state) {
    if (!compareAspect(parts, { name: "access", wanted, current }, locked)) return;
  } else {
    missingAspect(parts, "access", wanted);
    if (access.users.length + access.roles.length === 0) return;
  }
  const aspects = { replaces: aspectOf("access", current), writes: aspectOf("access", wanted) };
  addStep(parts, "access", { operation: "replaceFormAccess", body: access }, aspects);
}

function planFormDefaults(parts: Parts, wanted: WantedForm, { state, defaults, locked }: FormContext): void {
  const { take, leave, from, forced, replaces } = defaults;
  const { defaultFor } = wanted;
  if (defaultFor) {
    const modes = sortedModes(defaultFor);
    const current = state?.defaultFor && sortedModes(state.defaultFor);
    if (!state) missingAspect(parts, "defaultFor", modes);
    // If the server does not show the current defaults, an empty `defaultFor` clears no default, regardless of the
    // lock: see `noteHiddenDefaults`.
    else if (!state.defaultFor && modes.length === 0) parts.base["defaultFor"] = digestOf(modes);
    else if (!compareAspect(parts, { name: "defaultFor", wanted: modes, current }, locked)) return;
    if (state && !state.defaultFor) noteHiddenDefaults(parts, wanted, modes);
  }
  if (take.length === 0 && leave.length === 0) return;
  const writes = writtenDefaults(take, leave);
  addStep(parts, "defaults", { operation: "updateFormDefaults", take, leave }, { replaces, writes });
  for (const { mode, name } of from) parts.effects.push(`becomes the default for ${mode} instead of "${name}"`);
  for (const mode of leave) {
    const why = forced.includes(mode) ? ": the form can no longer be its default" : "";
    parts.effects.push(`the object no longer has a default for ${mode}${why}`);
  }
}

/**
 * Adds a note that the server does not show the defaults of the form. Another form may be the default. So the plan does
 * not clear a default of this form.
 */
function noteHiddenDefaults(
  { drift, notes }: Parts,
  { object, types }: WantedForm,
  claimed: readonly ModeWord[],
): void {
  drift["defaultFor"] ??= "unobservable";
  const others = types.filter((mode) => !claimed.includes(mode));
  if (others.length === 0) return;
  notes.push(
    `whether the form is the default for ${others.join(" or ")} can't be read from this server. If it is, it stays the default. ` +
      `To clear a default: formctl forms defaults clear ${objectText(object)} ${others[0]}`,
  );
}

/** A form that --prune deletes. */
export type Surplus = { subject: FormSubject; state: FormState };

/**
 * Returns the forms that --prune deletes: forms without a manifest, in objects with a form manifest. A form that is one
 * of several matches of a manifest is not deleted.
 *
 * @param options.described addresses that manifests outside `forms` describe. Forms with these addresses are not
 *   deleted
 * @param options.prune the ids of the forms, if they are known
 */
export function findSurplus(
  forms: readonly WantedForm[],
  current: Current,
  { described = new Set(), prune }: { described?: ReadonlySet<string>; prune: boolean | ReadonlySet<string> },
): Surplus[] {
  const only = typeof prune === "boolean" ? undefined : prune;
  const read = [...current.objects.values()].map(({ object }) => object);
  const objects = new Map(
    (only ? read : forms.map(({ object }) => object)).map((object) => [objectText(object), object]),
  );
  const kept = new Set(forms.map(({ address }) => current.forms.get(address)));
  const taken = new Set(forms.map(({ address }) => address));
  return [...objects].flatMap(([text, object]) => {
    const surplus = (current.objects.get(text)?.forms ?? []).filter(
      (state) =>
        !kept.has(state) &&
        (!only || only.has(state.form.id)) &&
        !current.ambiguousIds.has(state.form.id) &&
        !described.has(formAddress(text, state.form.name)),
    );
    const names = Map.groupBy(surplus, ({ form }) => form.name);
    return surplus.map((state) => {
      const { id, name } = state.form;
      const address = formAddress(text, name);
      const isAmbiguous = names.get(name)!.length > 1 || taken.has(address);
      return { subject: toSubject(isAmbiguous ? `${text}/${id}` : address, object, state), state };
    });
  });
}

function toSubject(address: string, object: ObjectKey, { form: { name, types } }: FormState): FormSubject {
  const unread = { content: false, access: "unmanaged", fields: [], defaultFor: [] } as const;
  return { kind: "Form", address, object, name, types, ...unread };
}

/**
 * Plans the deletion of a form, which requires a confirmation.
 *
 * @param warning why the deletion may be a mistake. Undefined if nothing indicates a mistake
 */
export function planDeletion({ state }: Surplus, { leave, replaces }: DefaultsPlan, warning?: string): Parts {
  const parts = newParts();
  const { form, listed, defaultFor } = state;
  if (leave.length > 0) {
    const writes = writtenDefaults([], leave);
    addStep(parts, "defaults", { operation: "updateFormDefaults", take: [], leave }, { replaces, writes });
    for (const mode of leave) parts.effects.push(`the object no longer has a default for ${mode}`);
  }
  addStep(
    parts,
    "delete",
    { operation: "deleteForm" },
    { replaces: formAspect(listed), writes: aspectOf("form", null) },
  );
  if (!defaultFor)
    parts.notes.push(
      "whether it is a default can't be read from this server. If it is, the server refuses the deletion",
    );
  const what = `${deletionText(form.name)}${warning === undefined ? "" : `; but ${warning}`}`;
  parts.needs.push({ consent: "allow-delete", what, lost: lostWith(form) });
  parts.changes = formChanges(parts.steps, state, { nameOf: () => undefined, taken: new Set() });
  return parts;
}

function deletionText(name: string): string {
  return `delete the form "${name}", which no manifest names`;
}

/** Returns texts for everything that is deleted together with a form. */
export function lostWith({
  name,
  directUserAccessCount: users,
  roleAccessCount: roles,
}: Pick<FormListedAnswer, "name" | "directUserAccessCount" | "roleAccessCount">): string[] {
  const rows = users === undefined || roles === undefined ? "its access rows" : accessCounts(users, roles);
  return [
    `the form "${name}", its layout with every version and draft`,
    ...(rows === undefined ? [] : [rows]),
    "files that were uploaded through it, which the API does not list",
  ];
}

function accessCounts(users: number, roles: number): string | undefined {
  const rows = [users > 0 && plural(users, "member"), roles > 0 && plural(roles, "role")].filter(Boolean).join(" and ");
  return rows === "" ? undefined : `the access of ${rows}`;
}
