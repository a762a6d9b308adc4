/** Shows a plan as a page with an index. For each layout, the page shows the form twice: before and after the plan. */

import type { PlannedResource } from "../../manifests/plan/planned.ts";
import type { PlanResult } from "../../manifests/project/plan.ts";
import type { PlannedLayout } from "../../manifests/project/layouts.ts";
import { buildPreview } from "../../preview/build.ts";
import type { PageEntry, PreviewPage } from "../../preview/page/page.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { plain } from "../../terminal/style.ts";
import { summaryText } from "./plan-view.ts";
import { type RehearsalDocument, rehearsalLines } from "./rehearsal-view.ts";

/**
 * @param where the target in words
 * @param rehearsal absent if the plan was not rehearsed
 */
export function planPage(result: PlanResult, where: string, rehearsal?: RehearsalDocument): PreviewPage {
  const { plan, problems } = result;
  const layouts = new Map(result.layouts().map((layout) => [layout.address, layout]));
  const shown = new Set([...layouts.values()].flatMap((layout) => layout.problems.map(identityOf)));
  const resources = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  return {
    title: `Plan for ${where}`,
    summary: [summaryText(plan), ...(rehearsal ? summaryLines(rehearsal) : [])],
    problems: problems.filter((problem) => !shown.has(identityOf(problem))),
    entries: resources.map((resource) => entryOf(resource, layouts.get(resource.address))),
  };
}

function summaryLines(rehearsal: RehearsalDocument): string[] {
  const { refusals, effects, unknown } = rehearsalLines(rehearsal);
  return [...refusals, ...effects, ...unknown.map((line) => `Not known to the rehearsal: ${line}`)];
}

/**
 * Returns a text that identifies a problem. The text omits the path, because the same layout has different paths in
 * different documents.
 */
function identityOf({ file, line, column, code, message }: Located): string {
  return JSON.stringify([file, line, column, code, message]);
}

function entryOf(resource: PlannedResource, layout: PlannedLayout | undefined): PageEntry {
  const { address, action } = resource;
  return {
    title: address,
    action: action === "none" ? undefined : action,
    facts: factsOf(resource, layout !== undefined),
    ...(layout && previewsOf(layout)),
  };
}

/** Returns what the preview does not show: changes of other parts, consequences, notes and required confirmations. */
function factsOf({ changes, effects, notes, needs }: PlannedResource, showsLayout: boolean): string[] {
  const others = showsLayout ? changes.filter(({ path }) => !path.startsWith("layout")) : changes;
  return [
    ...renderDiff(others, plain).split("\n").slice(0, -1),
    ...effects,
    ...notes,
    ...needs.flatMap(({ consent, what, lost }) => [
      `Requires --${consent}: ${what}`,
      ...lost.map((each) => `Permanently deleted: ${each}`),
    ]),
  ];
}

function previewsOf({ address, file, content, catalog, problems, before }: PlannedLayout): Partial<PageEntry> {
  const after = { title: address, origin: file, content, catalog, problems };
  if (!before) return { preview: buildPreview(after) };
  const name = "the content on the target";
  return {
    preview: buildPreview({ ...after, compareWith: { content: before, name } }),
    before: buildPreview({ title: address, origin: name, content: before, catalog, problems: [] }),
  };
}
