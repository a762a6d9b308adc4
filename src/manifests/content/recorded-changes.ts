/** Which field changes were carried out last, as the stamps of versions and the lock have kept it. */

import type { Surface } from "../../schemas/layout.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentState, Stamp } from "../state.ts";
import { settledDigest } from "./content.ts";

/**
 * Digests of the staged changes that our last publish had carried out. Undefined: nothing tells of any publish of ours
 * (docs/decisions.md, "Layouts as code").
 */
export function recordedChanges(
  current: ContentState,
  surface: Surface,
  locked: LockedResource | undefined,
): ReadonlySet<string> | undefined {
  const { published } = current;
  const kept = lockedChanges(current, locked);
  if (current.isUntold) return kept;
  if (!published) return undefined;
  const stamp = lastStamp(current);
  if (stamp === undefined) return kept;
  const stamped = new Set(stamp.fieldChanges);
  if (kept === undefined || stamp === lastStamp({ published, earlier: [] })) return stamped;
  if (locked?.base["content"] === settledDigest(published.content, surface)) return kept;
  // Somebody else has published since, and nothing tells which of both was later.
  return new Set([...stamped].filter((each) => kept.has(each)));
}

/**
 * The stamp of our last publish. A version that was restored repeats the stamp of an older one, though nothing was
 * carried out by restoring it.
 */
export function lastStamp({ published, earlier }: Pick<ContentState, "published" | "earlier">): Stamp | undefined {
  return [...(published ? [published] : []), ...earlier].find(({ stamp, isCopy }) => stamp && !isCopy)?.stamp;
}

/** A list of digests as a lock keeps it: a value there is a text. */
export function changesText(digests: readonly string[]): string {
  return digests.toSorted().join(" ");
}

/** A lock that knows the content of this very layout knows all that was carried out with it. */
function lockedChanges({ layoutId }: ContentState, locked: LockedResource | undefined): Set<string> | undefined {
  if (locked?.base["content"] === undefined) return undefined;
  if (locked.layoutId !== undefined && locked.layoutId !== layoutId) return undefined;
  return new Set(locked.base["fieldChanges"]?.split(" "));
}
