/** What a layout shows and will show, from its versions. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import {
  contentOf,
  draftAmong,
  hasContent,
  isStatusShown,
  latestAmong,
  newestFirst,
  stateOf,
  wholeVersion,
} from "../../lists/versions.ts";
import type { Service } from "../../service.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import { readStamp, settle, shownFields } from "../content/content.ts";
import type { ContentState, VersionState, VersionTrace } from "../state.ts";
import { copiesAmong } from "./copies.ts";

/**
 * The published version and the draft with their contents; of earlier ones what has to be known of them. One request, and
 * one for each of the two that the list shows without content; where the published one is a copy, earlier ones are read too.
 *
 * @param fields the keys of fields that are looked for
 */
export async function readContent(
  service: Pick<Service, "listVersions" | "getVersion">,
  layoutId: string,
  surface: Surface,
  fields: readonly string[] = [],
): Promise<ContentState> {
  const versions = (await service.listVersions({ layoutId })).toSorted(newestFirst);
  const published = latestAmong(versions);
  const draft = draftAmong(versions);
  const seen = [...versions];
  const see = async (version: VersionAnswer) =>
    (seen[versions.indexOf(version)] = await wholeVersion(service, layoutId, version));
  if (published) await see(published);
  if (draft) await see(draft);
  let traces = toTraces(seen, surface, fields);
  const traceOf = (version: VersionAnswer) => traces[versions.indexOf(version)]!;
  // What nobody has published has carried out nothing, whatever its stamp lists.
  const earlierTrace = (version: VersionAnswer): VersionTrace =>
    isFormerDraft(seen[versions.indexOf(version)]!)
      ? { ...traceOf(version), stamp: undefined, shows: [] }
      : traceOf(version);
  // A copy has its stamp from one of those before it, and what we published last stands among them.
  const earlier = versions.filter((version) => version !== published && version !== draft);
  const isToldByList = !published || !traceOf(published).isCopy || earlier.every(hasContent);
  for (const version of isToldByList ? [] : earlier.slice(0, MAX_LOOKS)) {
    await see(version);
    traces = toTraces(seen, surface, fields);
    const { stamp, isCopy } = earlierTrace(version);
    if (stamp && !isCopy) break;
  }
  // An empty content is not what a server shows that shows none: written back, it would remove everything.
  const isShown = (version: VersionAnswer | undefined) => !version || hasContent(seen[versions.indexOf(version)]!);
  if (!isStatusShown(versions) || !isShown(published) || !isShown(draft))
    return { ...untoldContent(layoutId), earlier: versions.map(earlierTrace) };
  const seenState = (version: VersionAnswer | undefined) =>
    version ? toState(seen[versions.indexOf(version)]!, surface, traceOf(version)) : null;
  return {
    layoutId,
    published: seenState(published),
    draft: seenState(draft),
    earlier: earlier.map(earlierTrace),
  };
}

/** Of a layout of which no versions are shown, and which may be there all the same. */
export function untoldContent(layoutId: string): ContentState {
  return { layoutId, isUntold: true, published: null, draft: null, earlier: [] };
}

/** A draft that another one has replaced: some servers keep them. */
function isFormerDraft({ status, publishedAt }: VersionAnswer): boolean {
  return status === "DRAFT" || publishedAt === null;
}

/** How far back it is looked for our last stamp, a request each. */
const MAX_LOOKS = 20;

function toState(version: VersionAnswer, surface: Surface, trace: VersionTrace): VersionState {
  const { validation, supportedModes: modes, stagedFieldDefinitions = [] } = version;
  const committed = isPublished(version) ? stagedFieldDefinitions : [];
  return { ...trace, content: shownContentOf(version, surface), state: stateOf(validation), modes, committed };
}

/**
 * What a version shows. Its publication has carried out what it staged: a server may keep that in the version, and blocks of
 * the staged fields with it.
 */
export function shownContentOf(version: VersionAnswer, surface: Surface): DraftContent {
  const content = contentOf(version);
  return isPublished(version) ? settle(content, surface, () => true) : content;
}

function isPublished(version: VersionAnswer): boolean {
  return version.status !== undefined && !isFormerDraft(version);
}

/** @param versions the newest first */
function toTraces(versions: readonly VersionAnswer[], surface: Surface, fields: readonly string[]): VersionTrace[] {
  const contents = versions.map((version) => shownContentOf(version, surface));
  const stamps = contents.map(readStamp);
  const copies = copiesAmong(versions.map((version, index) => ({ version, stamp: stamps[index] })));
  return versions.map(({ id, version: number }, index) => {
    const shown = fields.length === 0 ? undefined : shownFields(contents[index]!);
    return {
      id,
      number,
      stamp: stamps[index],
      isCopy: copies.has(id),
      shows: shown ? fields.filter((key) => shown.has(key)) : [],
    };
  });
}
