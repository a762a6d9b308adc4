/** One form's manifest against the form that is there, or is not. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { LockedResource } from "../lock.ts";
import type { WantedForm } from "../manifest.ts";
import type { Stamping } from "./planned.ts";
import { digestOf } from "../content/content.ts";
import { objectText } from "../subject.ts";
import { canonicalAccess, type NameOf, planAccess, tellLostAccess } from "./access.ts";
import { planContent } from "./content.ts";
import type { DefaultsPlan } from "./defaults.ts";
import { addStep, asSet, changeOf, compareAspect, missingAspect, newParts, type Parts, valueChanges } from "./parts.ts";
import { noteOwnDraft } from "./own-drafts.ts";
import { replacedAspect, replacedMembers } from "./replaced.ts";
import type { FormState } from "../state.ts";

export type FormContext = {
  state: FormState | undefined;
  defaults: DefaultsPlan;
  locked: LockedResource | undefined;
  publish: boolean;
  stamp: Stamping;
  fields: readonly SeedField[] | undefined;
  nameOf: NameOf;
};

/** What is not read, because the list says that there is nothing to be read. */
const NO_ROWS = { users: [], roles: [] };
const OPEN_TO_ALL = "anybody with its public link can submit it";

export function planForm(wanted: WantedForm, context: FormContext): Parts {
  const parts = newParts();
  const { state, nameOf } = context;
  const { content, types } = wanted;
  const kept: readonly ModeWord[] = types;
  const removed = state ? state.form.types.filter((mode) => !kept.includes(mode)) : [];
  const added = state ? types.filter((mode) => !state.form.types.includes(mode)) : types;
  if (state) widenForm(parts, wanted, state, context.locked);
  else createForm(parts, wanted);
  if (content) {
    const unpublished = types.filter((mode) => added.includes(mode) || (state && isUnpublished(state.form, mode)));
    const options = { modes: types, narrows: removed.length > 0, unpublished };
    planContent(parts, { ...wanted, content }, state?.content, {
      ...context,
      ...options,
      surface: "DYNAMIC_OBJECT",
      inPlace: state?.inPlace,
    });
    const publish = context.publish && wanted.publish;
    const beside = { content: state?.content, inPlace: state?.inPlace, publish };
    noteOwnDraft(parts, { ...beside, surface: "DYNAMIC_OBJECT" });
  }
  tellUnpublished(parts, added, state);
  planAccess(parts, wanted, state, context);
  if (state?.access && !wanted.access) tellLostAccess(parts, state.access, removed, nameOf);
  planFormDefaults(parts, wanted, context);
  if (state) narrowForm(parts, wanted, state, removed);
  return parts;
}

function createForm(parts: Parts, { object, name, types, isActive, isPublic, config }: WantedForm): void {
  const given = { types: asSet(types), isActive, isPublic, config };
  missingAspect(parts, "name", name);
  for (const [member, value] of Object.entries(given)) {
    if (value === undefined) continue;
    missingAspect(parts, member, value);
    parts.changes.push({ kind: "added", path: member, after: value });
  }
  // Said in words, so that no server decides them.
  const body = { name, types: [...types], isActive: isActive ?? true, isPublic: isPublic ?? false };
  addStep(parts, "create", {
    operation: "createForm",
    object,
    body: { ...body, ...(config !== undefined && { config }) },
  });
  if (isPublic === true) parts.effects.push(OPEN_TO_ALL);
}

/** What is done before the content: whatever a form may gain without anything else having gone. */
function widenForm(parts: Parts, wanted: WantedForm, { form }: FormState, locked: LockedResource | undefined): void {
  const { name, types, config, isActive, isPublic } = wanted;
  const body: Record<string, unknown> = {};
  if (compareAspect(parts, { name: "name", wanted: name, there: form.name }, locked)) body["name"] = name;
  const differ = compareAspect(parts, { name: "types", wanted: asSet(types), there: asSet(form.types) }, locked);
  if (types.some((mode) => !form.types.includes(mode))) body["types"] = widened(form.types, types);
  if (config !== undefined && compareAspect(parts, { name: "config", wanted: config, there: form.config }, locked)) {
    body["config"] = config;
    parts.changes.push(...valueChanges(["config"], form.config, config));
  }
  for (const [member, value] of Object.entries({ isActive, isPublic })) {
    const there = form[member as "isActive" | "isPublic"];
    if (value === undefined || !compareAspect(parts, { name: member, wanted: value, there }, locked)) continue;
    parts.changes.push(changeOf(member, there, value));
    // A default may not be switched off: that comes after the defaults.
    if (member !== "isActive" || value) body[member] = value;
  }
  if (body["name"] !== undefined)
    parts.changes.unshift({ kind: "changed", path: "name", before: form.name, after: name });
  if (differ) parts.changes.push({ kind: "changed", path: "types", before: asSet(form.types), after: asSet(types) });
  if (Object.keys(body).length > 0)
    addStep(parts, "widen", { operation: "updateForm", body }, replacedMembers(Object.keys(body), form));
  if (isPublic === false && form.isPublic)
    parts.effects.push("its public link stops working for good: a later one is another");
  if (body["isPublic"] === true) parts.effects.push(OPEN_TO_ALL);
}

/** With the modes that are to go: they go when nothing depends on them any more. */
export function widened(there: readonly ModeWord[], wanted: readonly ModeWord[]): ModeWord[] {
  const leaving = there.filter((mode) => !wanted.includes(mode));
  return [...wanted, ...leaving];
}

function narrowForm(
  parts: Parts,
  { types, isActive, access }: WantedForm,
  { form, access: there }: FormState,
  removed: readonly ModeWord[],
): void {
  const body = {
    ...(removed.length > 0 && { types: [...types] }),
    ...(isActive === false && parts.changes.some(({ path }) => path === "isActive") && { isActive }),
  };
  // Rows that no manifest speaks of lose modes along with the form.
  const rows = body.types && !access ? replacedAspect("access", canonicalAccess(there ?? NO_ROWS)) : {};
  if (Object.keys(body).length > 0)
    addStep(
      parts,
      "narrow",
      { operation: "updateForm", body },
      { ...replacedMembers(Object.keys(body), form), ...rows },
    );
  if (body.isActive === false) parts.effects.push("nobody can use it any more until it is active again");
}

/** A mode that comes back finds the published version that was made for it. */
function tellUnpublished({ steps, effects }: Parts, added: readonly ModeWord[], state: FormState | undefined): void {
  if (state?.inPlace || steps.some(({ request }) => request.operation === "publishLayout")) return;
  const published = state?.content?.published;
  const isUntold = state && !published?.modes && mayBePublished(state);
  const uncovered = added.filter((mode) => !published?.modes?.includes(mode));
  if (uncovered.length === 0) return;
  const unless = isUntold ? ", unless what is published was made for it before" : "";
  effects.push(`${uncovered.join(", ")} can't be used until the layout is published for it (DRAFT_ONLY)${unless}`);
}

/** Whether a version may be published that was made for a mode which the form does not have now. */
function mayBePublished({ form, content }: FormState): boolean {
  if (content) return content.published !== null || content.isUntold === true;
  return !form.types.every((mode) => isUnpublished(form, mode));
}

/** Whether the server says that nothing is published for the mode (R25). */
function isUnpublished({ layoutAvailability }: FormListedAnswer, mode: ModeWord): boolean {
  const state = layoutAvailability?.[mode]?.state;
  return state === "DRAFT_ONLY" || state === "MISSING";
}

/** A default is given up only where the form is known to hold it: otherwise it would be taken from another form. */
function noteKeptDefaults({ drift, notes }: Parts, { object, types }: WantedForm, claimed: readonly ModeWord[]): void {
  drift["defaultFor"] ??= "unobservable";
  const others = types.filter((mode) => !claimed.includes(mode));
  if (others.length === 0) return;
  notes.push(
    `whether the form is the default for ${others.join(" or ")} can't be observed on this server: if it is, it stays so. ` +
      `To clear a default: formctl forms defaults clear ${objectText(object)} ${others[0]}`,
  );
}

function planFormDefaults(parts: Parts, wanted: WantedForm, { state, defaults, locked }: FormContext): void {
  const { take, leave, handOver, from, forced, replaces } = defaults;
  const { defaultFor } = wanted;
  if (defaultFor) {
    const modes = asSet(defaultFor);
    const aspect = { name: "defaultFor", wanted: modes, there: state?.defaultFor && asSet(state.defaultFor) };
    if (!state) missingAspect(parts, "defaultFor", modes);
    // Without a mode there is nothing to write, whatever the lock says.
    else if (!state.defaultFor && modes.length === 0) parts.base["defaultFor"] = digestOf(modes);
    else if (!compareAspect(parts, aspect, locked)) return;
    if (state && !state.defaultFor) noteKeptDefaults(parts, wanted, modes);
  }
  if (take.length === 0 && leave.length === 0) return;
  const before = state ? state.defaultFor : [];
  const kept = (before ?? []).filter((mode) => !leave.includes(mode) && !handOver.includes(mode));
  parts.changes.push(changeOf("defaultFor", before && asSet(before), asSet([...kept, ...take])));
  addStep(parts, "defaults", { operation: "updateFormDefaults", take, leave }, replaces);
  for (const { mode, name } of from) parts.effects.push(`becomes the default for ${mode} instead of "${name}"`);
  for (const mode of leave) {
    const why = forced.includes(mode) ? ": it can't stay it" : "";
    parts.effects.push(`the object has no default for ${mode} any more${why}`);
  }
}
