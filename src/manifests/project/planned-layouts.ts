/** Finds the layouts whose content a plan writes, with their contents before and after, for a review of the plan. */

import type { DraftContent } from "../../schemas/draft.ts";
import { withoutStamp } from "../content/stamp.ts";
import type { Plan } from "../plan/planned.ts";
import type { ContentState, Current } from "../state.ts";
import { type ReadLayout, layoutsOf } from "./layouts.ts";
import type { LoadedManifests } from "./load.ts";

export type PlannedLayout = ReadLayout & {
  /** The address of the resource in the plan. */
  address: string;
  /** The published content. Null if there is none; undefined if the server does not show it. */
  before: DraftContent | null | undefined;
};

/** Operations that write the content of a layout. */
export const CONTENT_OPERATIONS: ReadonlySet<string> = new Set(["saveDraft", "publishLayout"]);

/** Returns the layouts in the order of the plan. */
export function plannedLayouts(plan: Plan, loaded: LoadedManifests, current: Current): PlannedLayout[] {
  const layouts = new Map(layoutsOf(loaded).map((layout) => [layout.manifest.address, layout]));
  return plan.resources.flatMap(({ address, steps }): PlannedLayout[] => {
    const layout = layouts.get(address);
    if (!layout || !steps.some(({ request }) => CONTENT_OPERATIONS.has(request.operation))) return [];
    const state = current.forms.get(address) ?? current.layouts.get(address);
    return [{ ...layout, address, before: state ? publishedContent(state.content) : null }];
  });
}

function publishedContent(state: ContentState | undefined): DraftContent | null | undefined {
  if (!state || state.isHidden) return undefined;
  return state.published && withoutStamp(state.published.content);
}
