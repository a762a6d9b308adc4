/** What a layout shows and will show, from its versions. */

import type { DraftContent } from "../../schemas/draft.ts";
import type { LayoutVersion } from "../../schemas/layout.ts";
import type { Service } from "../../service.ts";
import { readStamp, shownFields } from "../content/content.ts";
import type { ContentState, VersionState, VersionTrace } from "../state.ts";

/** Another server may list versions without their contents, and leave members out. */
type Listed = Partial<LayoutVersion> & { id: string };

/**
 * The published version and the draft with their contents; of earlier ones what has to be known of them. One request, and
 * one for each of the two that the list shows without content.
 *
 * @param fields the keys of fields that are looked for
 */
export async function readContent(
  service: Pick<Service, "listVersions" | "getVersion">,
  layoutId: string,
  fields: readonly string[] = [],
): Promise<ContentState> {
  const versions: Listed[] = (await service.listVersions({ layoutId })).toSorted(newestFirst);
  const published = versions.find(({ status }) => status === "PUBLISHED");
  const draft = versions.find(({ status }) => status === "DRAFT");
  const whole = async (version: Listed | undefined): Promise<VersionState | null> => {
    if (!version) return null;
    if (hasContent(version)) return toState(version, fields);
    return toState(await service.getVersion({ layoutId, versionId: version.id }), fields);
  };
  const isUntold = versions.length > 0 && versions.every(({ status }) => status === undefined);
  return {
    layoutId,
    ...(isUntold && { isUntold }),
    published: await whole(published),
    draft: await whole(draft),
    earlier: versions
      .filter((version) => version !== published && version !== draft)
      .map((version) => toTrace(version, contentOf(version), fields)),
  };
}

function newestFirst(a: Listed, b: Listed): number {
  return (b.version ?? 0) - (a.version ?? 0);
}

export function hasContent({ blocks, regions }: Listed): boolean {
  return Array.isArray(blocks) && Array.isArray(regions);
}

/** A content with the members that every content has. */
export function contentOf(version: Partial<LayoutVersion>): DraftContent {
  const { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = version;
  return {
    schemaVersion: schemaVersion ?? 1,
    regions: regions ?? [],
    blocks: blocks ?? [],
    stagedFieldDefinitions: stagedFieldDefinitions ?? [],
    scriptBindings: scriptBindings ?? [],
    metadata: metadata ?? null,
  };
}

function toState(version: Listed, fields: readonly string[]): VersionState {
  const content = contentOf(version);
  return {
    ...toTrace(version, content, fields),
    content,
    state: version.validation?.state,
    modes: version.supportedModes,
  };
}

function toTrace(version: Listed, content: DraftContent, fields: readonly string[]): VersionTrace {
  const shown = fields.length === 0 ? undefined : shownFields(content);
  return {
    id: version.id,
    number: version.version,
    stamp: readStamp(content),
    isCopy: version.sourceVersionId != null,
    shows: shown ? fields.filter((key) => shown.has(key)) : [],
  };
}
