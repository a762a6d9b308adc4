/**
 * Computes digests of the state that a plan has read. A plan is stale if the digest of a resource has changed. Also
 * computes digests of what each step overwrites. Apply uses these digests after an interruption, to find changes of
 * other users.
 */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import { MODES } from "../../schemas/words.ts";
import { objectText } from "../address.ts";
import { contentDigest, digestOf } from "../content/compare.ts";
import { holdersOf, shownVersion } from "../current/forms.ts";
import { pageKeyOf } from "../current/layouts.ts";
import type {
  ContentState,
  Current,
  FormState,
  FormSubject,
  LayoutState,
  LayoutSubject,
  Subject,
  VersionState,
} from "../state.ts";
import { canonicalAccess, canonicalAssignments, sortedModes } from "./changes.ts";
import type { Replaced } from "./planned.ts";

/** Returns a function that computes the digest of the current state of a subject. */
export function readDigests(current: Current): (subject: Subject) => string {
  const holders = new Map([...current.objects].map(([object, { forms }]) => [object, holdersOf(forms)]));
  const formsById = new Map(
    [...current.objects.values()].flatMap(({ forms }) => forms.map((state) => [state.form.id, state])),
  );
  const defaults = Map.groupBy(current.organizationDefaults, ({ page }) => page);

  const ofForm = (subject: FormSubject) => {
    const held = holders.get(objectText(subject.object));
    const taken = MODES.filter((mode) => subject.defaultFor.includes(mode)).map(
      (mode) => held?.get(mode)?.form.id ?? null,
    );
    const state = subject.formId === undefined ? current.forms.get(subject.address) : formsById.get(subject.formId);
    return [formPart(state, subject), taken];
  };
  const ofLayout = (subject: LayoutSubject) => {
    const rivals = subject.isDefault ? (defaults.get(pageKeyOf(subject)) ?? []) : [];
    return [
      layoutPart(current.layouts.get(subject.address)),
      rivals.map(({ layoutId, modes }) => [layoutId, sortedModes(modes)]),
    ];
  };
  return (subject) => digestOf(subject.kind === "Form" ? ofForm(subject) : ofLayout(subject));
}

function formPart(state: FormState | undefined, { content, formId }: FormSubject) {
  if (!state) return null;
  // For a form without a manifest, the digest covers only the list item. Other forms decide whether the record of this
  // form is read. So a digest of the record could change although the form is unchanged.
  const form = formId === undefined ? state.form : state.listed;
  const { id, name, types, isActive, isPublic, config, directUserAccessCount, roleAccessCount } = form;
  return {
    id,
    name,
    types: sortedModes(types),
    isActive,
    isPublic,
    config,
    counts: [directUserAccessCount ?? null, roleAccessCount ?? null],
    defaultFor: state.defaultFor ?? null,
    access: state.access ? canonicalAccess(state.access) : null,
    shown: shownVersion(form) ?? null,
    // A content that matches its manifest (`inPlace`) is not kept in the state. For such a content, the version in
    // `shown` is enough.
    content: content ? contentPart(state.content) : null,
  };
}

function layoutPart(state: LayoutState | undefined) {
  if (!state) return null;
  const { layoutId, name, supportedModes, metadata, assignments, content } = state;
  return {
    layoutId,
    name: name ?? null,
    supportedModes: supportedModes ? sortedModes(supportedModes) : null,
    metadata: metadata ?? null,
    assignments: assignments ? canonicalAssignments(assignments) : null,
    content: contentPart(content),
  };
}

/**
 * Returns the part of a digest for a content. A published version never changes, so its id is enough. A draft may
 * change and keep its id. So the digest of the draft's content is included.
 */
function contentPart(content: ContentState | undefined) {
  if (!content) return null;
  const { layoutId, published, draft, earlier, isHidden } = content;
  return {
    layoutId,
    ...(isHidden && { versions: earlier.map(({ id }) => id) }),
    published: published?.id ?? null,
    draft: draft && [draft.id, contentDigest(draft.content), draft.state ?? null],
  };
}

/** @param value undefined if the server does not show the value. The result is then empty */
export function replacedAspect(name: string, value: unknown): Replaced {
  return value === undefined ? {} : { [name]: digestOf(value) };
}

export function replacedDraft({ content }: Pick<VersionState, "content">): Replaced {
  return { draft: contentDigest(content) };
}

/** Returns the digests of the members of a record that a request overwrites. */
export function replacedMembers(members: Iterable<string>, record: Readonly<Record<string, unknown>>): Replaced {
  const aspects = [...members].map((member) => {
    const value = record[member];
    return replacedAspect(member, MODE_SETS.has(member) && value ? sortedModes(value as ModeWord[]) : value);
  });
  return Object.assign({}, ...aspects) as Replaced;
}

const MODE_SETS = new Set(["types", "supportedModes"]);

/**
 * Returns the name of the aspect for the default of a mode. The value of this aspect is the id of the default form. The
 * value is null if the mode has no default.
 */
export function replacedDefault(mode: ModeWord): string {
  return `defaultFor.${mode}`;
}

/** @param holders the current default forms, by mode */
export function replacedDefaults(modes: readonly ModeWord[], holders: ReadonlyMap<ModeWord, FormState>): Replaced {
  const aspects = modes.map((mode) => replacedAspect(replacedDefault(mode), holders.get(mode)?.form.id ?? null));
  return Object.assign({}, ...aspects) as Replaced;
}

/**
 * Returns the digest of everything that a list shows of a deleted form. Defaults are not included, because an earlier
 * step clears them.
 */
export function replacedForm(form: FormListedAnswer): Replaced {
  const { name, types, isActive, isPublic, config, directUserAccessCount: users, roleAccessCount: roles } = form;
  const shown = [isActive, isPublic, config, users, roles, shownVersion(form)];
  return replacedAspect("form", [name, sortedModes(types), ...shown.map((value) => value ?? null)]);
}
