/**
 * Reads the content of a layout: its published version, its draft, and the stamps of earlier versions. A stamp marks a
 * version that formctl saved (`Stamp` in state.ts).
 */

import {
  contentOf,
  draftAmong,
  hasContent,
  isStatusShown,
  latestAmong,
  newestFirst,
  stateOf,
  wholeVersion,
} from "../lists/versions.ts";
import type { VersionAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";
import type { Service } from "../service.ts";
import { settle, shownFields } from "../contents/compare.ts";
import { readStamp } from "./stamp.ts";
import type { ContentState, Stamp, VersionState, VersionTrace } from "./state.ts";
import { turn } from "./turns.ts";

/** The maximum number of earlier versions to read for the last stamp of formctl. Each version needs one request. */
const MAX_READS = 20;

/**
 * Reads the content of a layout. Sends one request for the list of versions. If the list omits the content of the
 * published version or of the draft, sends one more request for each. If the published version is a copy (a restored
 * version), its stamp belongs to an earlier version. Then earlier versions are read too, if the list omits their
 * content.
 *
 * @param fields the keys of the fields that a manifest creates. In the result, `shows` of a version lists those of
 *   these fields that the version shows
 */
export async function readContent(
  service: Pick<Service, "listVersions" | "getVersion">,
  layoutId: string,
  surface: Surface,
  fields: readonly string[] = [],
): Promise<ContentState> {
  const listed = (await service.listVersions({ layoutId })).toSorted(newestFirst);
  await turn();
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
  // The field changes in the stamp of an unpublished draft were never applied. So its stamp is left out, and no field
  // counts as shown.
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
  // A content that the server omits is unknown, not empty. If formctl exported it as empty, the next apply would remove
  // all blocks.
  const isShown = (version: VersionAnswer | undefined) => !version || hasContent(wholeOf(version));
  if (!isStatusShown(listed) || !isShown(published) || !isShown(draft))
    return { ...hiddenContent(layoutId), earlier: listed.map(earlierTrace) };
  const stateFor = (version: VersionAnswer | undefined) =>
    version ? toState(wholeOf(version), surface, traceOf(version)) : null;
  return { layoutId, published: stateFor(published), draft: stateFor(draft), earlier: earlier.map(earlierTrace) };
}

/** Returns the content state of a layout whose versions the server does not show. */
export function hiddenContent(layoutId: string): ContentState {
  return { layoutId, isHidden: true, published: null, draft: null, earlier: [] };
}

/**
 * Returns the content that a version shows. Some servers keep the staged changes in a published version. For a
 * published version, this function returns the content after these changes.
 */
export function shownContentOf(version: VersionAnswer, surface: Surface): DraftContent {
  let shown = shownContents.get(version);
  if (!shown) {
    const content = contentOf(version);
    shown = isPublished(version) ? settle(content, surface, () => true) : content;
    shownContents.set(version, shown);
  }
  return shown;
}

/**
 * The contents of versions. Each version object gets only one content object, because contents/memory.ts remembers
 * results by content object.
 */
const shownContents = new WeakMap<VersionAnswer, DraftContent>();

function isPublished(version: VersionAnswer): boolean {
  return version.status !== undefined && !isDraft(version);
}

/** Whether the version is the draft, or a former draft that some servers keep. */
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
 * Returns the ids of copies: versions that a user has restored. A copy has the stamp of another version, and its field
 * changes were not applied again. Some servers report copies. On other servers, a copy is a version that replaced
 * another version than its stamp names. Without version numbers, the order of versions is unknown. Then only reported
 * copies are returned.
 *
 * @param versions newest first
 */
export function copiesAmong(versions: readonly StampedVersion[]): ReadonlySet<string> {
  const isOrdered = versions.every(({ version }) => typeof version.version === "number");
  const copies = versions.filter(
    ({ version, stamp }, index) =>
      version.sourceVersionId != null || (isOrdered && stamp && replacedAnother(stamp, versions.slice(index + 1))),
  );
  return new Set(copies.map(({ version }) => version.id));
}

/**
 * Whether the version with this stamp replaced another version than the stamp names.
 *
 * @param older the versions before it, newest first
 */
function replacedAnother({ replaces }: Stamp, older: readonly StampedVersion[]): boolean {
  if (replaces === undefined) return false;
  // Versions that were never published are ignored. Versions whose stamp names the same version are ignored too: they
  // were saved while that version was published.
  const replaced = older.find(
    ({ version, stamp }) =>
      version.status !== "DRAFT" &&
      version.publishedAt !== null &&
      (stamp?.replaces === undefined || stamp.replaces !== replaces),
  );
  // The list may omit old versions. Then the replaced version is unknown.
  return replaced !== undefined && replaced.version.id !== replaces;
}
