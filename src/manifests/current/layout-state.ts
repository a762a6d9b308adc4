/** A layout that no form owns, as a service shows it, in the manifests' terms. */

import type { Layout } from "../../schemas/layout.ts";
import { targetKey } from "../../schemas/target-key.ts";
import type { LayoutState } from "../state.ts";

/** Where layouts compete for being the default. */
export function placeOf({ surface, target }: Pick<Layout, "surface" | "target">): string {
  return `${surface} ${targetKey(target)}`;
}

/** Made by the organization for itself, and not put away. */
export function isOrganizations({ ownerScope, target, status }: Layout): boolean {
  return ownerScope !== "SYSTEM" && target?.["formId"] == null && status !== "ARCHIVED";
}

/** Without its content. */
export function toLayoutState({ id, name, supportedModes, metadata, assignments }: Layout): LayoutState {
  return {
    layoutId: id,
    name,
    supportedModes,
    metadata,
    assignments: assignments && {
      organizationDefault: assignments.some(({ isDefault }) => isDefault),
      roles: assignments.flatMap(({ roleId, priority }) => (roleId === null ? [] : [{ roleId, priority }])),
    },
    content: undefined,
  };
}

/** A layout of which nothing is shown but, perhaps, its versions. */
export function unseenLayout(layoutId: string): LayoutState {
  return {
    layoutId,
    name: undefined,
    supportedModes: undefined,
    metadata: undefined,
    assignments: undefined,
    content: undefined,
  };
}
