/** What is said where the lock is behind our own last publish, and the files with it: neither side has moved for sure. */

import type { VersionState } from "../state.ts";
import type { Parts } from "./parts.ts";

/** After the rest has been planned without the bases of that lock. */
export function noteSetBack({ drift, notes }: Parts, { id, number, stamp }: VersionState): void {
  drift["content"] = "differs";
  const version = number === undefined ? id : `version ${number}`;
  const commit = stamp?.ref === undefined ? "" : ` of ${stamp.ref}`;
  notes.push(
    `the lock is behind: ${version} was published by an apply${commit} that it does not know. Either these files are older than ` +
      `that, or they were set back together with the lock: this apply replaces it; ${version} stays in the history`,
  );
}
