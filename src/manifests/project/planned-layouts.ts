/** Finds the layouts whose content a plan writes, with their contents before and after, for a review of the plan. */

import type { DraftContent } from "../../schemas/draft.ts";
import { withoutStamp } from "../content/stamp.ts";
import type { Plan } from "../plan/planned.ts";
import type { ContentState, Current } from "../state.ts";
import { type ReadLayout, layoutsOf } from "./layouts.ts";
import type { LoadedManifests } from "./desired.ts";

/**
 * `content` is that of the manifest. If the plan saves a draft, the staged changes that are already applied are removed
 * from it.
 */
export type PlannedLayout = ReadLayout & {
  /** The address of the resource in the plan. */
  address: string;
  /**
   * The content that the plan compares with: the published one, or for a plan that does not publish, the draft if there
   * is one. Null if there is none; undefined if the server does not show it.
   */
  before: DraftContent | null | undefined;
};

/** Operations that write the content of a layout. */
export const CONTENT_OPERATIONS: ReadonlySet<string> = new Set(["saveDraft", "publishLayout"]);

/** Returns the layouts in the order of the plan. */
export function plannedLayouts(plan: Plan, loaded: LoadedManifests, current: Current): PlannedLayout[] {
  const layouts = new Map(layoutsOf(loaded).map((layout) => [layout.manifest.address, layout]));
  return plan.resources.flatMap(({ address, steps }): PlannedLayout[] => {
    const layout = layouts.get(address);
    const requests = steps.map(({ request }) => request).filter(({ operation }) => CONTENT_OPERATIONS.has(operation));
    if (!layout || requests.length === 0) return [];
    const saved = requests.findLast((request) => request.operation === "saveDraft");
    const state = current.forms.get(address) ?? current.layouts.get(address);
    const publishes = requests.some(({ operation }) => operation === "publishLayout");
    return [
      {
        ...layout,
        address,
        content: saved ? withoutStamp(saved.content) : layout.content,
        before: state ? contentBefore(state.content, publishes) : null,
      },
    ];
  });
}

function contentBefore(state: ContentState | undefined, publishes: boolean): DraftContent | null | undefined {
  if (!state || state.isHidden) return undefined;
  const version = publishes ? state.published : (state.draft ?? state.published);
  return version && withoutStamp(version.content);
}
