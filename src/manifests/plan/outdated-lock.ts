/**
 * Handles a lock that is outdated: the lock and the manifest are both older than the last publish by formctl. In that
 * case it is unknown whether the manifest or the target has changed.
 */

import { isLockOutdated } from "../content/stamp.ts";
import type { LockedResource } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import type { ContentState, VersionState } from "../state.ts";
import { surfaceOf } from "../subject.ts";
import { type Parts, versionText } from "./aspects.ts";

/**
 * Returns the lock entry. If the lock is outdated, the base of the returned entry is empty.
 *
 * @returns `outdatedBy`: the published version that the lock does not know; null if the lock is not outdated
 */
export function usableLock(
  wanted: Wanted,
  current: ContentState | undefined,
  locked: LockedResource | undefined,
  publish: boolean,
): { locked: LockedResource | undefined; outdatedBy: VersionState | null } {
  const { content } = wanted;
  const isOutdated =
    content &&
    current &&
    locked &&
    isLockOutdated(content, surfaceOf(wanted), current, locked, publish && wanted.publish);
  if (!isOutdated) return { locked, outdatedBy: null };
  return { locked: { ...locked, base: {} }, outdatedBy: current.published };
}

/** Adds the drift and the note for an outdated lock. Call it after all steps are planned. */
export function noteOutdatedLock({ drift, notes, steps }: Parts, outdatedBy: VersionState | null): void {
  if (!outdatedBy) return;
  drift["content"] = "differs";
  const commit = outdatedBy.stamp?.ref === undefined ? "" : ` of ${outdatedBy.stamp.ref}`;
  const version = versionText(outdatedBy);
  const publishes = steps.some(({ request }) => request.operation === "publishLayout");
  const outcome = publishes
    ? `this apply replaces it; ${version} remains in the version history`
    : "this apply leaves it published";
  notes.push(
    `the lock is outdated: an apply${commit} that it does not know published ${version}. Either these files are older than that ` +
      `apply, or they were reverted together with the lock: ${outcome}`,
  );
}
