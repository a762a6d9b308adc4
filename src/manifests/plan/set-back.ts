/** What is said where the lock is behind our own last publish, and the files with it: neither side has moved for sure. */

import { isSetBack } from "../content/set-back.ts";
import { surfaceOf } from "../current/in-place.ts";
import type { LockedResource } from "../lock.ts";
import type { Wanted } from "../manifest.ts";
import type { ContentState, VersionState } from "../state.ts";
import type { Parts } from "./parts.ts";

/** What the lock says of who has moved, which is nothing where it is behind a version that is published: `behind`. */
export function basesFor(
  wanted: Wanted,
  shown: ContentState | undefined,
  locked: LockedResource | undefined,
  publish: boolean,
): { locked: LockedResource | undefined; behind: VersionState | null } {
  const { content } = wanted;
  if (!content || !shown || !locked || !publish || !wanted.publish) return { locked, behind: null };
  if (!isSetBack(content, surfaceOf(wanted), shown, locked)) return { locked, behind: null };
  return { locked: { ...locked, base: {} }, behind: shown.published };
}

/** After the rest has been planned without the bases of that lock. */
export function noteSetBack({ drift, notes }: Parts, behind: VersionState | null): void {
  if (!behind) return;
  const { id, number, stamp } = behind;
  drift["content"] = "differs";
  const version = number === undefined ? id : `version ${number}`;
  const commit = stamp?.ref === undefined ? "" : ` of ${stamp.ref}`;
  notes.push(
    `the lock is behind: ${version} was published by an apply${commit} that it does not know. Either these files are older than ` +
      `that, or they were set back together with the lock: this apply replaces it; ${version} stays in the history`,
  );
}
