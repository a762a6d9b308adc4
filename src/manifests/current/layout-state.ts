/** A layout that no form owns, as a service shows it, in the manifests' terms. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { assignmentsOf } from "../../lists/layouts.ts";
import type { LayoutState } from "../state.ts";

/** Where layouts compete for being the default. */
export function placeOf({ surface = "", target = {} }: Pick<LayoutAnswer, "surface" | "target">): string {
  return `${surface} ${targetKey(target)}`;
}

/** Made by the organization for itself, and not put away. */
export function isOrganizations({ ownerScope, target, status }: LayoutAnswer): boolean {
  return ownerScope !== "SYSTEM" && target?.["formId"] == null && status !== "ARCHIVED";
}

/** Without its content. */
export function toLayoutState({ id, name, supportedModes, metadata, assignments }: LayoutAnswer): LayoutState {
  return {
    layoutId: id,
    name,
    supportedModes,
    metadata,
    assignments: assignmentsOf({ assignments }),
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
