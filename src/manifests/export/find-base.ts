/** What a layout was when file and server last said the same, so that it can be told who has changed what since. */

import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { Service } from "../../service.ts";
import { sameContent, settle, settledDigest } from "../content/compare.ts";
import { shownContentOf } from "../current/versions.ts";
import { lastOwnStamp } from "../content/stamp.ts";
import type { ContentState } from "../state.ts";

/** How far back the history is read for it. */
const MAX_VERSIONS = 20;

export type BaseSides = {
  /** What the file says, and what is there. */
  said: DraftContent;
  there: DraftContent;
  current: ContentState;
  surface: Surface;
  /** By the lock: the digest of the content that was last applied or exported, and the version that was published then. */
  locked: string | undefined;
  version: string | undefined;
};

/**
 * `unknown`: nothing tells what it was. `lost`: it is known that both sides have moved, and not from where.
 *
 * The lock's digest counts first, unless our last stamp is of what the file says; without either, the newest version that
 * still is what our stamp says was published. What is published under the id that the lock knows has not moved at all: a
 * published version never changes. Ids are no part of digests: where both sides differ in nothing else, the file has not moved if it says what some version was.
 */
export async function findBase(
  service: Pick<Service, "getVersion">,
  { said, there, current, surface, locked: inLock, version }: BaseSides,
): Promise<DraftContent | "unknown" | "lost"> {
  const { layoutId, published, earlier } = current;
  const digest = (content: DraftContent) => settledDigest(content, surface);
  if (published && published.id === version && digest(published.content) === digest(there)) return there;
  const isStamped = lastOwnStamp(current)?.sha256 === digest(said);
  // What was applied elsewhere, and has not come to this lock. A lock that knows what is there has seen more than the stamp.
  const isOlder = isStamped && (inLock !== digest(there) || published?.isCopy === true);
  const locked = isOlder ? digest(said) : inLock;
  const isThere = locked !== undefined && digest(there) === locked;
  const isSaid = locked !== undefined && digest(said) === locked;
  const settled = settle(said, surface, () => true);
  if (isThere && (!isSaid || sameContent(settled, there))) return there;
  if (isSaid && !isThere) return said;
  const isBase = (content: DraftContent, sha256: string | undefined) => {
    if (isSaid) return sameContent(settled, content);
    return digest(content) === (locked ?? sha256);
  };
  if (published && !published.isCopy && isBase(published.content, published.stamp?.sha256)) return published.content;
  // Without a lock only what bears a stamp can be ours.
  const candidates = earlier.filter(({ stamp, isCopy }) => locked !== undefined || (stamp && !isCopy));
  for (const { id, stamp } of candidates.slice(0, MAX_VERSIONS)) {
    const content = shownContentOf(await service.getVersion({ layoutId, versionId: id }), surface);
    if (isBase(content, stamp?.sha256)) return content;
  }
  return locked === undefined || isSaid ? "unknown" : "lost";
}
