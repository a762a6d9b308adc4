/** Which field changes were carried out last, as the stamps of versions and the lock have kept it. */

import type { Surface } from "../../schemas/layout.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentState, Stamp, VersionTrace } from "../state.ts";
import { settledDigest } from "./content.ts";

/** Digests of staged changes: those that were carried out, and those that were only taken to be. */
export type Recorded = { done: ReadonlySet<string>; assumed: ReadonlySet<string> };

/** Undefined: nothing tells of any publish of ours (docs/decisions.md, "Layouts as code"). */
export function recordedChanges(
  current: ContentState,
  surface: Surface,
  locked: LockedResource | undefined,
): Recorded | undefined {
  const { published, earlier } = current;
  const kept = lockedChanges(current, surface, locked);
  if (!published) return current.isUntold ? kept : undefined;
  const versions = [published, ...earlier];
  const stampedAt = versions.findIndex(isOurs);
  if (stampedAt < 0) return kept;
  const stamped = { done: new Set(versions[stampedAt]!.stamp!.fieldChanges), assumed: new Set<string>() };
  if (!kept || !locked) return stamped;
  const keptAt = versions.findIndex(({ id }) => id === locked.base["version"]);
  if (keptAt === stampedAt) return { ...kept, done: new Set([...kept.done, ...stamped.done]) };
  if (keptAt >= 0) return keptAt < stampedAt ? kept : stamped;
  if (stampedAt === 0) return stamped;
  if (locked.base["content"] === settledDigest(published.content, surface)) return kept;
  // Somebody else has published since, and nothing tells which of both was later.
  return { ...stamped, done: new Set([...stamped.done].filter((each) => kept.done.has(each))) };
}

/**
 * The stamp of our last publish. A version that was restored repeats the stamp of an older one, though nothing was
 * carried out by restoring it.
 */
export function lastStamp({ published, earlier }: Pick<ContentState, "published" | "earlier">): Stamp | undefined {
  return [...(published ? [published] : []), ...earlier].find(isOurs)?.stamp;
}

function isOurs({ stamp, isCopy }: VersionTrace): boolean {
  return stamp !== undefined && !isCopy;
}

/** A list of digests as a lock keeps it: a value there is a text. */
export function changesText(digests: readonly string[]): string {
  return digests.toSorted().join(" ");
}

/** A lock that knows the content of this very layout knows all that was carried out with it. */
function lockedChanges(
  { layoutId, published }: ContentState,
  surface: Surface,
  locked: LockedResource | undefined,
): Recorded | undefined {
  if (locked?.base["content"] === undefined) return undefined;
  if (locked.layoutId !== undefined && locked.layoutId !== layoutId) return undefined;
  const { content, fieldChanges, assumedChanges, waitingChanges, version } = locked.base;
  const done = new Set(fieldChanges?.split(" "));
  // The draft that waited has become what is published.
  if (waitingChanges && published && published.id !== version && settledDigest(published.content, surface) === content)
    for (const each of waitingChanges.split(" ")) done.add(each);
  return { done, assumed: new Set(assumedChanges?.split(" ")) };
}
