/**
 * Implements `Project.layouts`: returns the contents of layouts with their problems. Also finds the layouts whose
 * content a plan writes, for a review of the plan.
 */

import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { withoutStamp } from "../contents/compare.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { CONTENT_OPERATIONS, type Plan, savesContent } from "../plan/planned.ts";
import type { ContentState, Current } from "../state/state.ts";
import type { LoadedManifests, ProjectContext } from "./context.ts";
import { loadManifests, type ValidateRequest } from "./load.ts";

export type LayoutsRequest = ValidateRequest;

export type ReadLayout = {
  /** The manifest that contains the layout, or references its file. */
  manifest: Manifest;
  /** The file with the content: the layout file, or the manifest. */
  file: string;
  content: DraftContent;
  /** What is known about the layout: the fields, scripts and modes that its content was checked against. */
  catalog: LayoutCatalog;
  /** The problems of the content. The `path` of each problem is a path in the content. */
  problems: readonly Located[];
};

export type LayoutsResult = {
  /** The layouts in the order of their manifests. Invalid manifests and manifests without a layout are omitted. */
  layouts: readonly ReadLayout[];
  /** All other problems: of the manifests themselves, and of layouts with an invalid structure. */
  problems: readonly Located[];
  /** The checks that could not run, and why. */
  notRun: readonly string[];
  /** Every file that was read. */
  files: readonly string[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

export async function readLayouts(context: ProjectContext, { paths = [] }: LayoutsRequest): Promise<LayoutsResult> {
  const loaded = await loadManifests(context, paths);
  const { set, problems, ofContents, notRun } = loaded;
  return {
    layouts: layoutsOf(loaded),
    problems: problems.filter((problem) => !ofContents.has(problem)),
    notRun,
    files: set.files,
    sources: set.sources,
  };
}

/** Returns the layout of each manifest that has a content. */
function layoutsOf({ set, problems, ofContents, knownOf }: LoadedManifests): ReadLayout[] {
  return set.manifests.flatMap((manifest): ReadLayout[] => {
    const { content, address, file, layoutFile = file } = manifest;
    if (!content) return [];
    const own = problems.filter((problem) => ofContents.get(problem) === address && problem.file === layoutFile);
    return [{ manifest, file: layoutFile, content, catalog: knownOf(manifest), problems: own.map(inContent) }];
  });
}

/** Changes the path of a problem to a path in the content. In a manifest, the content is the member `layout`. */
function inContent({ path, ...problem }: Located): Located {
  const own = path?.replace(/^layout(?:\.(?=.)|(?=\[)|$)/, "");
  return { ...problem, ...(own && { path: own }) };
}

/**
 * A layout whose content a plan writes. If the plan saves a draft, `content` is the content of this draft. The draft
 * omits staged field changes that are already applied. Otherwise `content` is the content of the manifest.
 */
export type PlannedLayout = ReadLayout & {
  address: string;
  /**
   * The content that the plan compares with:
   *
   * - the published content if the plan publishes the layout
   * - otherwise the draft, or the published content if no draft exists
   * - null if the layout has no content yet
   * - undefined if the server does not show the content
   */
  before: DraftContent | null | undefined;
};

/** Returns the layouts in the order of the plan. */
export function plannedLayouts(plan: Plan, loaded: LoadedManifests, current: Current): PlannedLayout[] {
  const layouts = new Map(layoutsOf(loaded).map((layout) => [layout.manifest.address, layout]));
  return plan.resources.flatMap(({ address, steps }): PlannedLayout[] => {
    const layout = layouts.get(address);
    const requests = steps.map(({ request }) => request).filter(({ operation }) => CONTENT_OPERATIONS.has(operation));
    if (!layout || requests.length === 0) return [];
    const saved = requests.findLast(savesContent);
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
