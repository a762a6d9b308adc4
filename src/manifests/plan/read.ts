/** A digest of everything that a plan has read of one resource: another digest later means that the plan is stale. */

import { MODES } from "../../schemas/words.ts";
import { canonicalAccess } from "./access.ts";
import { asSet } from "./parts.ts";
import { canonicalAssignments } from "./layout.ts";
import { contentDigest, digestOf } from "../content/content.ts";
import { placeOf } from "../current/layout-state.ts";
import { shownVersion } from "../current/in-place.ts";
import { holdersOf } from "./defaults.ts";
import { type FormSubject, type LayoutSubject, objectText, type Subject } from "../subject.ts";
import type { ContentState, Current, FormState, LayoutState } from "../state.ts";

/** @returns a function from what was asked for to the digest of what was found */
export function readDigests(current: Current): (subject: Subject) => string {
  const holders = new Map([...current.objects].map(([object, { forms }]) => [object, holdersOf(forms)]));
  const surplus = new Map(
    [...current.objects.values()].flatMap(({ forms }) => forms.map((state) => [state.form.id, state])),
  );
  const defaults = Map.groupBy(current.organizationDefaults, ({ place }) => place);

  const ofForm = (subject: FormSubject) => {
    const held = holders.get(objectText(subject.object));
    const taken = MODES.filter((mode) => subject.defaultFor.includes(mode)).map(
      (mode) => held?.get(mode)?.form.id ?? null,
    );
    // Forms that no manifest names are known by their ids alone.
    const state = subject.formId === undefined ? current.forms.get(subject.address) : surplus.get(subject.formId);
    return [formPart(state, subject), taken];
  };
  const ofLayout = (subject: LayoutSubject) => {
    const rivals = subject.isDefault ? (defaults.get(placeOf(subject)) ?? []) : [];
    return [
      layoutPart(current.layouts.get(subject.address)),
      rivals.map(({ layoutId, modes }) => [layoutId, asSet(modes)]),
    ];
  };
  return (subject) => digestOf(subject.kind === "Form" ? ofForm(subject) : ofLayout(subject));
}

function formPart(state: FormState | undefined, { content, formId }: FormSubject) {
  if (!state) return null;
  // Of a form that no manifest names, whether its record was read depends on what else was.
  const form = formId === undefined ? state.form : state.listed;
  const { id, name, types, isActive, isPublic, config, directUserAccessCount, roleAccessCount } = form;
  return {
    id,
    name,
    types: asSet(types),
    isActive,
    isPublic,
    config,
    counts: [directUserAccessCount ?? null, roleAccessCount ?? null],
    defaultFor: state.defaultFor ?? null,
    access: state.access ? canonicalAccess(state.access) : null,
    shown: shownVersion(form) ?? null,
    // What is in place needs nothing but to be shown still.
    content: content ? contentPart(state.content) : null,
  };
}

function layoutPart(state: LayoutState | undefined) {
  if (!state) return null;
  const { layoutId, name, supportedModes, metadata, assignments, content } = state;
  return {
    layoutId,
    name: name ?? null,
    supportedModes: supportedModes ? asSet(supportedModes) : null,
    metadata: metadata ?? null,
    assignments: assignments ? canonicalAssignments(assignments) : null,
    content: contentPart(content),
  };
}

/** A published version never changes; a draft may keep its id on another server. */
function contentPart(content: ContentState | undefined) {
  if (!content) return null;
  const { layoutId, published, draft, earlier, isUntold } = content;
  return {
    layoutId,
    ...(isUntold && { versions: earlier.map(({ id }) => id) }),
    published: published?.id ?? null,
    draft: draft && [draft.id, contentDigest(draft.content), draft.state ?? null],
  };
}
