/**
 * Determines the drift of resources and of their aspects: how they have changed since the last apply or export. Also
 * determines which aspects have to be written. An aspect is a part that is compared as a whole, such as `types`,
 * `access` or the content.
 */

import type { Surface } from "../schemas/layout.ts";
import { digestOf, settledDigest } from "../contents/compare.ts";
import { isOwnDraft, isOwnVersion, lastOwnStamp } from "../state/stamp.ts";
import type { LockedResource } from "../state/lock.ts";
import type { ContentBase, ContentState, VersionState } from "../state/state.ts";
import type { Drift, Parts } from "./planned.ts";

/**
 * Returns the drift of an aspect. All parameters are digests.
 *
 * @param current undefined if the server does not show the aspect
 * @param bases the digests of the last apply or export in the lock and the stamp. Undefined digests are ignored
 */
function driftOf(wanted: string, current: string | undefined, bases: readonly (string | undefined)[]): Drift {
  const known = bases.filter((base) => base !== undefined);
  if (current === undefined) return known.length > 0 && !known.includes(wanted) ? "files" : "unobservable";
  if (wanted === current) return "same";
  if (known.includes(current)) return "files";
  if (known.includes(wanted)) return "target";
  return known.length > 0 ? "both" : "differs";
}

/**
 * Adds to `parts` the drift of one aspect of an existing record. Also adds the digest of the desired value, for the
 * lock. An aspect that the server does not show is assumed to be unchanged since the last apply. Such an aspect is
 * written unless the lock has the digest of the desired value.
 *
 * @param aspect.current undefined if the server does not show the aspect
 * @returns whether the aspect has to be written
 */
export function compareAspect(
  parts: Parts,
  { name, wanted, current }: { name: string; wanted: unknown; current: unknown },
  locked: LockedResource | undefined,
): boolean {
  const digest = digestOf(wanted);
  const base = locked?.base[name];
  parts.base[name] = digest;
  const drift = driftOf(digest, current === undefined ? undefined : digestOf(current), [base]);
  parts.drift[name] = drift;
  if (current === undefined) {
    const known =
      base === digest
        ? "assumed to be as last applied"
        : "it will be written, because the server and the lock don't show its current state";
    parts.notes.push(`${name} can't be read from this server: ${known}`);
    return base !== digest;
  }
  if (drift === "target" || drift === "both")
    parts.notes.push(`${name} was changed on the target since the last apply`);
  return drift !== "same";
}

/** Adds the drift and the base of an aspect whose record does not exist. */
export function missingAspect(parts: Parts, name: string, wanted: unknown): void {
  parts.base[name] = digestOf(wanted);
  parts.drift[name] = "missing";
}

/**
 * Returns the drift of a content that differs from the manifest. The digests in the lock and in the last stamp
 * determine the drift. Published versions never change. So if the lock names the published version, only the manifest
 * can have changed.
 *
 * @param compared the version to compare with the manifest. Null if no version exists
 */
export function contentDrift(
  compared: VersionState | null,
  current: ContentState,
  { surface, base, locked }: { surface: Surface; base: ContentBase; locked: LockedResource | undefined },
): Drift {
  if (!compared) return "missing";
  const { content: lockedContent, version } = locked?.base ?? {};
  if (compared === current.published && version === compared.id) return "files";
  const isDraft = compared === current.draft;
  const ownStamp = isOwnVersion(compared) ? compared.stamp : undefined;
  const stamp = isDraft ? ownStamp : lastOwnStamp(current);
  const isManifestUnchanged = lockedContent === base.content;
  // An earlier apply saved this draft from another content of the manifest. The manifest is as in the lock. Either the
  // draft is from a newer checkout, or a commit was reverted together with the lock. The actual cause is unknown.
  if (isManifestUnchanged && isDraft && isOwnDraft(compared, surface)) return "differs";
  // A user restored the version after formctl published the content of this manifest. Only the target has changed.
  const isRestored = compared.isCopy && stamp?.sha256 === base.content;
  const bases = isManifestUnchanged || isRestored ? [base.content] : [stamp?.sha256, lockedContent];
  const drift = driftOf(base.content, settledDigest(compared.content, surface), bases);
  // The contents differ although the digests are equal: digests do not include field changes and ids.
  return drift === "same" ? "files" : drift;
}
