/** Shows a plan as a page: an index, and for each layout its form before and after the plan. */

import type { PlannedResource } from "../../manifests/plan/planned.ts";
import type { PlanResult } from "../../manifests/project/plan.ts";
import type { PlannedLayout } from "../../manifests/project/planned-layouts.ts";
import { buildPreview } from "../../preview/build.ts";
import type { PageEntry, PreviewPage } from "../../preview/page/page.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { plain } from "../../terminal/style.ts";
import { bodyOf, summaryText } from "./plan-view.ts";

/** @param where the target in words */
export function planPage(result: PlanResult, where: string): PreviewPage {
  const { plan, problems } = result;
  const layouts = new Map(result.layouts().map((layout) => [layout.address, layout]));
  const shown = new Set([...layouts.values()].flatMap((layout) => layout.problems.map(identityOf)));
  const resources = plan.resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  return {
    title: `Plan for ${where}`,
    summary: [summaryText(plan)],
    problems: problems.filter((problem) => !shown.has(identityOf(problem))),
    entries: resources.map((resource) => entryOf(resource, layouts.get(resource.address))),
  };
}

/** Returns a text that is equal for the same problem. Its path depends on the document that it refers to. */
function identityOf({ file, line, column, code, message }: Located): string {
  return JSON.stringify([file, line, column, code, message]);
}

function entryOf(resource: PlannedResource, layout: PlannedLayout | undefined): PageEntry {
  const { address, action } = resource;
  // The form shows the changes of the layout.
  const changes = layout ? resource.changes.filter(({ path }) => !path.startsWith("layout")) : resource.changes;
  const facts = bodyOf({ ...resource, changes }, plain).split("\n").slice(0, -1);
  return {
    title: address,
    action: action === "none" ? undefined : action,
    facts: facts.map((line) => line.trim()),
    ...(layout && previewsOf(layout)),
  };
}

function previewsOf({ address, file, content, catalog, problems, before }: PlannedLayout): Partial<PageEntry> {
  const after = { title: address, origin: file, content, catalog, problems };
  if (!before) return { preview: buildPreview(after) };
  const name = "the published version";
  return {
    preview: buildPreview({ ...after, compareWith: { content: before, name } }),
    before: buildPreview({ title: address, origin: name, content: before, catalog, problems: [] }),
  };
}
