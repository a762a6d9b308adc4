/**
 * Computes digests of the state that a plan has read, and of what each step overwrites and writes. A saved plan is
 * compared with the target by these digests (shown-steps.ts).
 */

import type { FormListedAnswer } from "../schemas/answers.ts";
import { type ModeWord, MODES, sortedModes } from "../schemas/words.ts";
import { contentDigest, digestOf, isInitialDraft } from "../contents/compare.ts";
import { shownVersion } from "../state/forms.ts";
import {
  holdersOf,
  type ContentState,
  type Current,
  type FormState,
  type FormSubject,
  type LayoutState,
  type LayoutSubject,
  type Subject,
  type VersionState,
} from "../state/state.ts";
import { pageKeyOf } from "../lists/layouts.ts";
import { canonicalAccess, canonicalAssignments } from "./changes.ts";
import type { Digests, PlannedStep, ReadState } from "./planned.ts";
import { objectText } from "../lists/addresses.ts";

/**
 * Returns a function that computes the digest of the current state of a subject.
 *
 * The parameter `surplus` is the state of a form without a manifest. Its digest covers only the list item. Other forms
 * decide whether the record of this form is read. So a digest of the record could change although the form is unchanged.
 */
export function readDigests(current: Current): (subject: Subject, surplus?: FormState) => ReadState {
  const holders = new Map([...current.objects].map(([object, { forms }]) => [object, holdersOf(forms)]));
  const defaults = Map.groupBy(current.organizationDefaults, ({ page }) => page);

  const ofForm = (subject: FormSubject, surplus: FormState | undefined) => {
    const held = holders.get(objectText(subject.object));
    const taken = MODES.filter((mode) => subject.defaultFor.includes(mode)).map(
      (mode) => held?.get(mode)?.form.id ?? null,
    );
    const state = surplus ?? current.forms.get(subject.address);
    return {
      record: state ? formPart(state, surplus?.listed ?? state.form, subject) : null,
      defaults: [state?.defaultFor ?? null, taken],
    };
  };
  const ofLayout = (subject: LayoutSubject) => {
    const rivals = subject.isDefault ? (defaults.get(pageKeyOf(subject)) ?? []) : [];
    return {
      record: layoutPart(current.layouts.get(subject.address)),
      defaults: rivals.map(({ layoutId, modes }) => [layoutId, sortedModes(modes)]),
    };
  };
  return (subject, surplus) => {
    const state = subject.kind === "Form" ? ofForm(subject, surplus) : ofLayout(subject);
    return { record: digestOf(state.record), defaults: digestOf(state.defaults) };
  };
}

function formPart(state: FormState, form: FormListedAnswer, { content }: FormSubject) {
  const { id, name, types, isActive, isPublic, config, directUserAccessCount, roleAccessCount } = form;
  return {
    id,
    name,
    types: sortedModes(types),
    isActive,
    isPublic,
    config,
    counts: [directUserAccessCount ?? null, roleAccessCount ?? null],
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
export function aspectOf(name: string, value: unknown): Digests {
  return value === undefined ? {} : { [name]: digestOf(value) };
}

/** Returns the digests of members of a record or of a request. */
export function memberAspects(members: Iterable<string>, record: Readonly<Record<string, unknown>>): Digests {
  const aspects = [...members].map((member) => {
    const value = record[member];
    return aspectOf(member, MODE_SETS.has(member) && value ? sortedModes(value as ModeWord[]) : value);
  });
  return Object.assign({}, ...aspects) as Digests;
}

const MODE_SETS = new Set(["types", "supportedModes"]);

/** Returns the digests for a step that creates a record. No record of this name exists before the step. */
export function creationAspects(body: object): Pick<PlannedStep, "replaces" | "writes"> {
  const members = memberAspects(Object.keys(body), body as Record<string, unknown>);
  return { replaces: aspectOf("record", null), writes: { ...members, ...aspectOf("record", "created") } };
}

/** Returns the digest of the draft that a step overwrites. An empty draft of a new layout counts as no draft. */
export function draftAspect(draft: VersionState | null | undefined, isPublished: boolean): Digests {
  const isNone = !draft || isInitialDraft(draft, isPublished ? {} : null);
  return aspectOf("draft", isNone ? null : contentDigest(draft.content));
}

/** The value of a default that a step gives to its own form. The id of a new form is not known yet. */
export const OWN_FORM = "own form";

/** Returns the name of the aspect for the default of a mode. Its value is the digest of the id of the default form. */
function defaultAspect(mode: ModeWord): string {
  return `defaultFor.${mode}`;
}

/** @param holders the current default forms, by mode */
export function defaultAspects(modes: readonly ModeWord[], holders: ReadonlyMap<ModeWord, FormState>): Digests {
  return Object.fromEntries(modes.map((mode) => [defaultAspect(mode), digestOf(holders.get(mode)?.form.id ?? null)]));
}

/** Returns the digests of the defaults that a step sets or clears. */
export function writtenDefaults(take: readonly ModeWord[], leave: readonly ModeWord[]): Digests {
  return {
    ...defaultAspects(leave, new Map()),
    ...Object.fromEntries(take.map((mode) => [defaultAspect(mode), OWN_FORM])),
  };
}

/**
 * Returns the digest of everything that a list shows of a deleted form. Defaults are not included, because an earlier
 * step clears them.
 */
export function formAspect(form: FormListedAnswer): Digests {
  const { name, types, isActive, isPublic, config, directUserAccessCount: users, roleAccessCount: roles } = form;
  const shown = [isActive, isPublic, config, users, roles, shownVersion(form)];
  return aspectOf("form", [name, sortedModes(types), ...shown.map((value) => value ?? null)]);
}
