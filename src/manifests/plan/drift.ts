/** Drift: how an aspect, and a resource as a whole, has changed since the last apply or export. */

import type { Surface } from "../../schemas/layout.ts";
import { settledDigest } from "../content/compare.ts";
import { isOwnDraft, isOwnVersion, lastOwnStamp } from "../content/stamp.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentBase, ContentState, VersionState } from "../state.ts";
import type { Drift, PlannedResource } from "./planned.ts";

/**
 * The drift of an aspect, by digests.
 *
 * @param current undefined: the server does not show it
 * @param bases what the lock and the stamp know of the last apply or export
 */
export function driftOf(wanted: string, current: string | undefined, bases: readonly (string | undefined)[]): Drift {
  const known = bases.filter((base) => base !== undefined);
  if (current === undefined) return known.length > 0 && !known.includes(wanted) ? "here" : "unobservable";
  if (wanted === current) return "same";
  if (known.includes(current)) return "here";
  if (known.includes(wanted)) return "there";
  return known.length > 0 ? "both" : "differs";
}

/**
 * The drift of a content, by the lock and the last stamp. A published version never changes, so one that the lock knows has
 * not changed.
 */
export function contentDrift(
  compared: VersionState | null,
  current: ContentState,
  { surface, base, locked }: { surface: Surface; base: ContentBase; locked: LockedResource | undefined },
): Drift {
  if (!compared) return "missing";
  const { content: lockedContent, version } = locked?.base ?? {};
  if (compared === current.published && version === compared.id) return "here";
  const isDraft = compared === current.draft;
  const ownStamp = isOwnVersion(compared) ? compared.stamp : undefined;
  const stamp = isDraft ? ownStamp : lastOwnStamp(current);
  const isManifestUnchanged = lockedContent === base.content;
  // An apply saved this draft and did not publish it. Whether the manifest is older or was reverted is unknown.
  if (isManifestUnchanged && isDraft && isOwnDraft(compared, surface)) return "differs";
  // A user restored the version after our last publish, and the lock is from before it.
  const isRestored = compared.isCopy && stamp?.sha256 === base.content;
  const bases = isManifestUnchanged || isRestored ? [base.content] : [stamp?.sha256, lockedContent];
  const drift = driftOf(base.content, settledDigest(compared.content, surface), bases);
  // Digests leave out field changes and ids, which the comparison includes.
  return drift === "same" ? "here" : drift;
}

/**
 * - `in sync`: nothing differs
 * - `changed here`: the manifest has changed since the last apply or export
 * - `changed there`: the resource has changed on the target since then
 * - `changed on both sides`
 * - `differs`: neither the lock nor a stamp shows which side has changed
 * - `not there`: the resource does not exist
 * - `unobservable`: the server does not show everything, and what it shows is in sync
 */
export const STATES = [
  "in sync",
  "changed here",
  "changed there",
  "changed on both sides",
  "differs",
  "not there",
  "unobservable",
] as const;
export type State = (typeof STATES)[number];

export function stateOf({ action, drift, steps }: Pick<PlannedResource, "action" | "drift" | "steps">): State {
  if (action === "create") return "not there";
  const drifts = new Set(Object.values(drift));
  // A content that was never published can't have been changed on the target.
  const inFiles = drifts.has("here") || drifts.has("missing");
  const onTarget = drifts.has("there");
  if (drifts.has("both") || (inFiles && onTarget)) return "changed on both sides";
  if (drifts.has("differs")) return "differs";
  if (onTarget) return "changed there";
  if (inFiles) return "changed here";
  // All aspects are in sync, but the published version does not serve all modes.
  if (steps.length > 0) return "differs";
  return drifts.has("unobservable") ? "unobservable" : "in sync";
}

/** Whether apply would change something, or a user should look at it. */
export function isDrifted(state: State): boolean {
  return state !== "in sync" && state !== "unobservable";
}
