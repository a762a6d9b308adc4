/**
 * Random valid sets of manifests, as plans. `manifest-values.ts` turns plans into manifests. `wholeState` corrects
 * conflicts within a set.
 */

import * as fc from "fast-check";
import type { JsonObject } from "../../src/schemas/json.ts";
import { MODES, type Mode } from "../../src/schemas/words.ts";
import { anyContent, anyModes, anyStaged, anyText, type ContentPlan, freeObject } from "./manifest-content.ts";
import { MEMBERS, OBJECTS, PAGES, ROLES } from "./manifest-pages.ts";

type Grant = { who: number; called: number; types: Mode[] };
type Rank = { who: number; called: number; priority: number | undefined };

export type FormPlan = {
  object: number;
  name: string;
  renamedFrom?: string | undefined;
  /** The name of the record before the edits. */
  was?: string;
  types: Mode[];
  isActive: boolean | undefined;
  isPublic: boolean | undefined;
  config: JsonObject | null | undefined;
  defaultFor: Mode[] | undefined;
  access: { users: Grant[]; roles: Grant[] } | undefined;
  content: ContentPlan | undefined;
  publish: boolean | undefined;
};

export type LayoutPlan = {
  page: number;
  name: string;
  renamedFrom?: string | undefined;
  was?: string;
  supportedModes: Mode[];
  metadata: JsonObject | null | undefined;
  assignments: { organizationDefault: boolean | undefined; roles: Rank[] } | undefined;
  content: ContentPlan | undefined;
  publish: boolean | undefined;
};

export type State = { forms: FormPlan[]; layouts: LayoutPlan[] };

const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const grants = (most: number) =>
  fc.array(fc.record({ who: fc.nat(most), called: fc.nat(1), types: anyModes }), { maxLength: 3 });

export const anyConfig: fc.Arbitrary<JsonObject | null> = fc.oneof(
  fc.constantFrom(null, {}),
  fc.record({ title: anyText, successMessage: anyText, description: anyText }, { requiredKeys: [] }),
  fc.record({ title: anyText, theme: freeObject }),
);

export const anyAccess = fc.record({ users: grants(MEMBERS.length - 1), roles: grants(ROLES.length - 1) });

export const anyForm: fc.Arbitrary<FormPlan> = fc.record({
  object: fc.nat(OBJECTS.length - 1),
  name: anyText,
  types: anyModes,
  isActive: sometimes(fc.nat(5).map((chance) => chance > 0)),
  isPublic: sometimes(fc.boolean()),
  config: sometimes(anyConfig),
  defaultFor: sometimes(fc.subarray([...MODES])),
  access: sometimes(anyAccess),
  content: sometimes(anyContent),
  publish: fc.constantFrom(undefined, undefined, undefined, true, false),
});

export const anyAssignments = fc.record({
  organizationDefault: fc.constantFrom(true, false, undefined),
  roles: fc.array(
    fc.record({
      who: fc.nat(ROLES.length - 1),
      called: fc.nat(1),
      priority: fc.option(fc.integer({ min: -3, max: 9 }), { nil: undefined }),
    }),
    { maxLength: 3 },
  ),
});

export const anyLayout: fc.Arbitrary<LayoutPlan> = fc.record({
  page: fc.nat(PAGES.length - 1),
  name: anyText,
  supportedModes: anyModes,
  metadata: sometimes(fc.oneof(fc.constant(null), freeObject)),
  assignments: sometimes(anyAssignments),
  content: sometimes(anyContent.map((content) => ({ ...content, staged: [] }))),
  publish: fc.constantFrom(undefined, undefined, undefined, true, false),
});

/** Any valid state. `label` makes the keys of the staged fields different from those of another state. */
export function anyState(label = "s"): fc.Arbitrary<State> {
  return fc
    .record({
      forms: fc.array(anyForm, { minLength: 1, maxLength: 6 }),
      layouts: fc.array(anyLayout, { maxLength: 3 }),
    })
    .map((state) => wholeState(keyedState(state, label)));
}

/** A valid state in which each form stages fields. */
export function anyStagingState(label = "s"): fc.Arbitrary<State> {
  const anyStaging = fc
    .record({ form: anyForm, content: anyContent, staged: fc.array(anyStaged, { minLength: 1, maxLength: 3 }) })
    .map(({ form, content, staged }) => ({ ...form, content: { ...content, staged } }));
  return fc
    .array(anyStaging, { minLength: 1, maxLength: 2 })
    .map((forms) => wholeState(keyedState({ forms, layouts: [] }, label)));
}

/** Returns the state with a key for each staged field without a key. */
export function keyedState(state: State, label: string): State {
  return { ...state, forms: state.forms.map((form, index) => keyedForm(form, `${label}${index}`)) };
}

export function keyedForm(form: FormPlan, label: string): FormPlan {
  if (!form.content) return form;
  const staged = form.content.staged.map((each, index) =>
    each.key === "" ? { ...each, key: `new_${label}_${index}` } : each,
  );
  return { ...form, content: { ...form.content, staged } };
}

/**
 * Corrects conflicts between forms and layouts. The earlier form or layout wins. The conflicts are:
 * - two records with the same name;
 * - two defaults for the same mode;
 * - a default for a mode that the form doesn't support;
 * - an inactive form that is a default;
 * - access to a mode that the form doesn't support;
 * - two rows for the same member or role.
 *
 * @param reserved names that a plan may use only if its record already has the name
 */
export function wholeState(state: State, reserved: ReadonlySet<string> = new Set()): State {
  const taken = new Set(reserved);
  const isDefault = new Set<string>();
  const claim = (owner: string, modes: readonly Mode[]) => {
    const free = modes.filter((mode) => !isDefault.has(`${owner} ${mode}`));
    for (const mode of free) isDefault.add(`${owner} ${mode}`);
    return free;
  };
  const forms = state.forms.map((form): FormPlan => {
    const object = OBJECTS[form.object]!;
    const able = form.isActive === false ? [] : form.types;
    return {
      ...form,
      ...freeName(taken, object, form),
      defaultFor:
        form.defaultFor &&
        claim(
          object,
          form.defaultFor.filter((mode) => able.includes(mode)),
        ),
      access: form.access && {
        users: grantsWithin(form.access.users, form.types),
        roles: grantsWithin(form.access.roles, form.types),
      },
    };
  });
  const layouts = state.layouts.map((layout): LayoutPlan => {
    const page = pageAddress(layout);
    const { assignments } = layout;
    const isFree = layout.supportedModes.every((mode) => !isDefault.has(`${page} ${mode}`));
    const organizationDefault = isFree ? assignments?.organizationDefault : false;
    if (organizationDefault) claim(page, layout.supportedModes);
    return {
      ...layout,
      ...freeName(taken, page, layout),
      assignments: assignments && { organizationDefault, roles: onlyFirst(assignments.roles) },
    };
  });
  return { forms, layouts };
}

export function pageAddress({ page }: LayoutPlan): string {
  return JSON.stringify([PAGES[page]!.surface, PAGES[page]!.target]);
}

/** Returns all names of a state with their object or page, including the names before a rename. */
export function namesIn({ forms, layouts }: State): Set<string> {
  const all = [
    ...forms.map((form) => ({ place: OBJECTS[form.object]!, ...form })),
    ...layouts.map((layout) => ({ place: pageAddress(layout), ...layout })),
  ];
  return new Set(
    all.flatMap(({ place, name, renamedFrom }) => [`${place}/${name}`, `${place}/${renamedFrom ?? name}`]),
  );
}

/** Returns a name that is unique in its object or page. Adds a rename if the record has a different name. */
function freeName(taken: Set<string>, place: string, { name, was, renamedFrom }: FormPlan | LayoutPlan) {
  if (name === was) return { name, renamedFrom };
  let free = name;
  for (let number = 2; taken.has(`${place}/${free}`); number++) free = `${name} ${number}`;
  taken.add(`${place}/${free}`);
  return { name: free, renamedFrom: was ?? renamedFrom };
}

function grantsWithin(rows: readonly Grant[], types: readonly Mode[]): Grant[] {
  return onlyFirst(rows)
    .map((row) => ({ ...row, types: row.types.filter((mode) => types.includes(mode)) }))
    .filter((row) => row.types.length > 0);
}

function onlyFirst<T extends { who: number }>(rows: readonly T[]): T[] {
  return rows.filter(({ who }, index) => rows.findIndex((row) => row.who === who) === index);
}
