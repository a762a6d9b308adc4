/**
 * Reads and writes the stamp: a member that formctl adds to the metadata of a draft (`Stamp` in state.ts). Later runs
 * use the stamp to recognize versions that formctl published.
 */

import type { DraftContent } from "../schemas/draft.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import type { LockedResource } from "./lock.ts";
import type { ContentState, Stamp, VersionState, VersionTrace } from "./state.ts";
import { settledDigest, withFactsOf, withoutStamp } from "../contents/compare.ts";
import { STAMP_KEY } from "../contents/normal.ts";
import { withMetadata } from "../contents/memory.ts";

export function readStamp({ metadata }: Pick<DraftContent, "metadata">): Stamp | undefined {
  const stamp = metadata?.[STAMP_KEY];
  if (!isJsonObject(stamp)) return undefined;
  const { ref, sha256, fieldChanges, replaces } = stamp;
  if (typeof sha256 !== "string") return undefined;
  return {
    ...(typeof ref === "string" && { ref }),
    sha256,
    ...(Array.isArray(fieldChanges) && { fieldChanges: fieldChanges.filter((each) => typeof each === "string") }),
    ...((replaces === null || typeof replaces === "string") && { replaces }),
  };
}

export function withStamp(content: DraftContent, stamp: Stamp): DraftContent {
  return withFactsOf(content, withMetadata(content, { ...content.metadata, [STAMP_KEY]: stamp }));
}

/**
 * Whether formctl created the version. False for a restored version, because a restored version has the stamp of
 * another version.
 */
export function isOwnVersion({ stamp, isCopy }: VersionTrace): boolean {
  return stamp !== undefined && !isCopy;
}

/** Returns the stamp of the newest version that formctl published. */
export function lastOwnStamp({ published, earlier }: Pick<ContentState, "published" | "earlier">): Stamp | undefined {
  return [...(published ? [published] : []), ...earlier].find(isOwnVersion)?.stamp;
}

/** Whether formctl saved the draft, and no user has changed it since. */
export function isOwnDraft(draft: VersionState, surface: Surface): boolean {
  return isOwnVersion(draft) && draft.stamp?.sha256 === settledDigest(draft.content, surface);
}

/**
 * Whether the lock and the manifest are both older than the last publish by formctl. There are two possible causes, and
 * it is unknown which cause is true:
 *
 * - A commit was reverted together with the lock, so the manifest has changed.
 * - A newer checkout was applied, so the target has changed.
 *
 * @param publish whether the manifest describes the published version. Otherwise the manifest describes the draft, if a
 *   draft exists
 */
export function isLockOutdated(
  content: DraftContent,
  surface: Surface,
  { published, draft, earlier }: Pick<ContentState, "published" | "draft" | "earlier">,
  locked: Pick<LockedResource, "base"> | undefined,
  publish: boolean,
): boolean {
  if (!publish && draft) return false;
  const { version, content: known } = locked?.base ?? {};
  if (!published?.stamp || published.isCopy || version === published.id) return false;
  if (known === undefined || !earlier.some(({ id }) => id === version)) return false;
  const { sha256 } = published.stamp;
  if (sha256 === known || sha256 !== settledDigest(published.content, surface)) return false;
  return known === settledDigest(withoutStamp(content), surface);
}
