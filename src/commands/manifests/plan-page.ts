/** Shows a plan as a page with an index. For each layout, the page shows the form twice: before and after the plan. */

import type { FormManifest } from "../../manifests/manifest.ts";
import type { PlannedResource } from "../../plan/planned.ts";
import type { PlanResult, PlannedLayout } from "../../project/project.ts";
import { buildPreview } from "../../preview/build.ts";
import type { PreviewSource } from "../../preview/model.ts";
import type { PageFact } from "../../preview/page/facts.ts";
import type { PageEntry, PreviewPage } from "../../preview/page/page.ts";
import type { Change } from "../../schemas/content-diff.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { isJsonObject } from "../../schemas/json.ts";
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
    summary: summaryText(plan),
    facts: rehearsal ? rehearsalFacts(rehearsal) : [],
    problems: problems.filter((problem) => !shown.has(identityOf(problem))),
    entries: resources.map((resource) => entryOf(resource, layouts.get(resource.address))),
  };
}

function rehearsalFacts(rehearsal: RehearsalDocument): PageFact[] {
  const { refusals, effects, unknown } = rehearsalLines(rehearsal);
  return [...textFacts("refusal", refusals), ...textFacts("effect", effects), ...textFacts("unknown", unknown)];
}

function textFacts(kind: "refusal" | "effect" | "unknown" | "note", texts: readonly string[]): PageFact[] {
  return texts.map((text) => ({ kind, text }));
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
    ...(layout && previewsOf(layout, resource)),
  };
}

/** Returns what the preview does not show: changes of other parts, consequences, notes and required confirmations. */
function factsOf({ changes, effects, notes, needs }: PlannedResource, showsLayout: boolean): PageFact[] {
  const others = showsLayout ? changes.filter(({ path }) => !path.startsWith("layout")) : changes;
  return [
    ...others.map((change): PageFact => ({ kind: "change", change })),
    ...textFacts("effect", effects),
    ...textFacts("note", notes),
    ...needs.map(({ consent, what, lost }): PageFact => ({
      kind: "confirmation",
      option: `--${consent}`,
      text: what,
      lost,
    })),
  ];
}

function previewsOf(layout: PlannedLayout, { changes }: PlannedResource): Partial<PageEntry> {
  const { address, manifest, file, content, catalog, problems, before } = layout;
  const form = manifest.kind === "Form" ? manifest : undefined;
  const after = { title: address, origin: file, content, catalog, form, problems };
  if (!before) return { preview: buildPreview(after) };
  const name = "the content on the target";
  return {
    preview: buildPreview({ ...after, compareWith: { content: before, name } }),
    before: buildPreview({
      title: address,
      origin: name,
      content: before,
      catalog,
      form: form && formBefore(form, changes),
      problems: [],
    }),
  };
}

/** Returns the texts of the form before the plan: the texts in the manifest without the changes of the plan. */
function formBefore({ config }: FormManifest, changes: readonly Change[]): NonNullable<PreviewSource["form"]> {
  const texts: Record<string, unknown> = { ...config };
  for (const { path, before } of changes) {
    if (path === "config") return { config: isJsonObject(before) ? before : null };
    if (path.startsWith("config.")) texts[path.slice("config.".length)] = before;
  }
  return { config: texts };
}
