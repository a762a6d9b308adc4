/** Implements `Project.layouts`, which returns the contents of layouts with their problems. */

import type { LayoutCatalog } from "../../schemas/catalog.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Manifest } from "../manifest.ts";
import type { ProjectContext } from "./context.ts";
import type { LoadedManifests } from "./desired.ts";
import { loadManifests } from "./load.ts";
import type { ValidateRequest } from "./validate.ts";

export type LayoutsRequest = ValidateRequest;

export type ReadLayout = {
  /** The manifest that contains the layout, or references its file. */
  manifest: Manifest;
  /** The file with the content: the layout file, or the manifest. */
  file: string;
  content: DraftContent;
  /** What is known about the layout. Its problems are checked against it. */
  catalog: LayoutCatalog;
  /** The problems of the content. Their paths are paths in the content. */
  problems: readonly Located[];
};

export type LayoutsResult = {
  /** The layouts in the order of their manifests. Manifests without a layout, and invalid ones, are omitted. */
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
export function layoutsOf({ set, problems, ofContents, knownOf }: LoadedManifests): ReadLayout[] {
  return set.manifests.flatMap((manifest): ReadLayout[] => {
    const { content, address, file, layoutFile = file } = manifest;
    if (!content) return [];
    const own = problems.filter((problem) => ofContents.get(problem) === address && problem.file === layoutFile);
    return [{ manifest, file: layoutFile, content, catalog: knownOf(manifest), problems: own.map(inContent) }];
  });
}

/** Changes the path of a problem to a path in the content: in a manifest, the content is the member `layout`. */
function inContent({ path, ...problem }: Located): Located {
  const own = path?.replace(/^layout(?:\.(?=.)|(?=\[)|$)/, "");
  return { ...problem, ...(own && { path: own }) };
}
