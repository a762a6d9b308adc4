/** The content of a layout: its published version, its draft, and what has to be known of earlier versions. */

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
import type { VersionAnswer } from "../../schemas/answers.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { Service } from "../../service.ts";
import { settle, shownFields } from "../content/compare.ts";
import { readStamp } from "../content/stamp.ts";
import type { ContentState, Stamp, VersionState, VersionTrace } from "../state.ts";

/** How many earlier versions are read, one request each, to find our last stamp. */
const MAX_READS = 20;

/**
 * One request, and one for each of published version and draft that the list shows without content. Earlier versions
 * are read only if the published one is a copy: its stamp belongs to one of them.
 *
 * @param fields the keys of fields that a manifest creates: of each version it is noted which of them it shows
 */
export async function readContent(
  service: Pick<Service, "listVersions" | "getVersion">,
  layoutId: string,
  surface: Surface,
  fields: readonly string[] = [],
): Promise<ContentState> {
  const listed = (await service.listVersions({ layoutId })).toSorted(newestFirst);
  const published = latestAmong(listed);
  const draft = draftAmong(listed);
  const versions = [...listed];
  const wholeOf = (version: VersionAnswer) => versions[listed.indexOf(version)]!;
  const complete = async (version: VersionAnswer) => {
    versions[listed.indexOf(version)] = await wholeVersion(service, layoutId, version);
  };
  if (published) await complete(published);
  if (draft) await complete(draft);
  let traces = toTraces(versions, surface, fields);
  const traceOf = (version: VersionAnswer) => traces[listed.indexOf(version)]!;
  // A draft that was never published has applied nothing, whatever its stamp lists.
  const earlierTrace = (version: VersionAnswer): VersionTrace =>
    isDraft(wholeOf(version)) ? { ...traceOf(version), stamp: undefined, shows: [] } : traceOf(version);
  const earlier = listed.filter((version) => version !== published && version !== draft);
  const isStampKnown = !published || !traceOf(published).isCopy || earlier.every(hasContent);
  for (const version of isStampKnown ? [] : earlier.slice(0, MAX_READS)) {
    await complete(version);
    traces = toTraces(versions, surface, fields);
    const { stamp, isCopy } = earlierTrace(version);
    if (stamp && !isCopy) break;
  }
  // A server that leaves the content out does not show an empty content: saving that would remove every block.
  const isShown = (version: VersionAnswer | undefined) => !version || hasContent(wholeOf(version));
  if (!isStatusShown(listed) || !isShown(published) || !isShown(draft))
    return { ...hiddenContent(layoutId), earlier: listed.map(earlierTrace) };
  const stateFor = (version: VersionAnswer | undefined) =>
    version ? toState(wholeOf(version), surface, traceOf(version)) : null;
  return { layoutId, published: stateFor(published), draft: stateFor(draft), earlier: earlier.map(earlierTrace) };
}

/** The content of a layout whose versions the server does not show. */
export function hiddenContent(layoutId: string): ContentState {
  return { layoutId, isHidden: true, published: null, draft: null, earlier: [] };
}

/**
 * The content that a version shows. Publishing has applied what a published version staged, also where the server keeps
 * that in the version.
 */
export function shownContentOf(version: VersionAnswer, surface: Surface): DraftContent {
  const content = contentOf(version);
  return isPublished(version) ? settle(content, surface, () => true) : content;
}

function isPublished(version: VersionAnswer): boolean {
  return version.status !== undefined && !isDraft(version);
}

/** The draft, or a former one that some servers keep. */
function isDraft({ status, publishedAt }: VersionAnswer): boolean {
  return status === "DRAFT" || publishedAt === null;
}

function toState(version: VersionAnswer, surface: Surface, trace: VersionTrace): VersionState {
  const { validation, supportedModes: modes, stagedFieldDefinitions = [] } = version;
  const committed = isPublished(version) ? stagedFieldDefinitions : [];
  return { ...trace, content: shownContentOf(version, surface), state: stateOf(validation), modes, committed };
}

/** @param versions newest first */
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

export type StampedVersion = {
  version: Partial<Pick<VersionAnswer, "version" | "status" | "publishedAt" | "sourceVersionId">> & { id: string };
  stamp: Stamp | undefined;
};

/**
 * The ids of versions that a user has restored: they repeat the stamp of another version, and have applied nothing. A
 * server may report this. Else the stamp names the version that it was saved over: if another version precedes it, it
 * is a copy. Without numbers the order is unknown, and no version counts as a copy.
 *
 * @param versions newest first
 */
export function copiesAmong(versions: readonly StampedVersion[]): ReadonlySet<string> {
  const isOrdered = versions.every(({ version }) => typeof version.version === "number");
  const copies = versions.filter(
    ({ version, stamp }, index) =>
      version.sourceVersionId != null || (isOrdered && stamp && isMoved(stamp, versions.slice(index + 1))),
  );
  return new Set(copies.map(({ version }) => version.id));
}

/** Whether another version than the stamp names precedes it. */
function isMoved({ over }: Stamp, older: readonly StampedVersion[]): boolean {
  if (over === undefined) return false;
  // Unpublished drafts do not count, nor do former drafts that were saved over the same version.
  const before = older.find(
    ({ version, stamp }) =>
      version.status !== "DRAFT" && version.publishedAt !== null && (stamp?.over === undefined || stamp.over !== over),
  );
  // A list may leave out old versions.
  return before !== undefined && before.version.id !== over;
}
