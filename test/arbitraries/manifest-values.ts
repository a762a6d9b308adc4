/** Turns a planned state into manifests: the values that its files contain. */

import type * as z from "zod/mini";
import type { FormManifest, LayoutManifest } from "../../src/manifests/manifest-schema.ts";
import { confirmationsOf, contentOf, type DraftValue } from "./manifest-draft.ts";
import { MEMBERS, OBJECTS, PAGES, ROLES, slotsOfObject } from "./manifest-pages.ts";
import type { FormPlan, LayoutPlan, State } from "./manifests.ts";

/** The content of a manifest file. The layout is inline. */
export type ManifestValue = (z.input<typeof FormManifest> | z.input<typeof LayoutManifest>) & { layout?: DraftValue };

/** The manifests of a state, in its order. */
export function manifestsOf({ forms, layouts }: State): ManifestValue[] {
  return [...forms.map(formValue), ...layouts.map(layoutValue)];
}

function formValue(plan: FormPlan): ManifestValue {
  const { object, name, renamedFrom, types, isActive, isPublic, config, defaultFor, access, content, publish } = plan;
  const address = OBJECTS[object]!;
  const page = { surface: "DYNAMIC_OBJECT" as const, modes: types, slots: slotsOfObject(address) };
  const confirmed = content ? confirmationsOf(content) : [];
  return {
    kind: "Form",
    object: address,
    name,
    ...(renamedFrom !== undefined && { renamedFrom }),
    types,
    ...(isActive !== undefined && { isActive }),
    ...(isPublic !== undefined && { isPublic }),
    ...(config !== undefined && { config }),
    ...(defaultFor && { defaultFor }),
    ...(access && {
      access: {
        users: access.users.map(({ types: modes, ...row }) => ({ ...subject("member", MEMBERS, row), types: modes })),
        roles: access.roles.map(({ types: modes, ...row }) => ({ ...subject("role", ROLES, row), types: modes })),
      },
    }),
    ...(confirmed.length > 0 && { confirmFieldChanges: confirmed }),
    ...(publish !== undefined && { publish }),
    ...(content && { layout: contentOf(content, page) }),
  };
}

function layoutValue(plan: LayoutPlan): ManifestValue {
  const { name, renamedFrom, supportedModes, metadata, assignments, content, publish } = plan;
  const { surface, target, slots } = PAGES[plan.page]!;
  return {
    kind: "Layout",
    name,
    ...(renamedFrom !== undefined && { renamedFrom }),
    surface,
    supportedModes,
    target,
    ...(metadata !== undefined && { metadata }),
    ...(assignments && {
      assignments: {
        ...(assignments.organizationDefault !== undefined && { organizationDefault: assignments.organizationDefault }),
        roles: assignments.roles.map(({ priority, ...row }) => ({
          ...subject("role", ROLES, row),
          ...(priority !== undefined && { priority }),
        })),
      },
    }),
    ...(publish !== undefined && { publish }),
    ...(content && { layout: contentOf(content, { surface, modes: supportedModes, slots }) }),
  };
}

/** Refers to a role or member by its name, and sometimes by its id. */
function subject(
  kind: "role" | "member",
  all: readonly { id: string; names: string[] }[],
  { who, called }: { who: number; called: number },
) {
  const { id, names } = all[who]!;
  if (who === 2 && called === 1) return { [kind === "role" ? "roleId" : "membershipId"]: id };
  return { [kind]: names[called]! };
}
