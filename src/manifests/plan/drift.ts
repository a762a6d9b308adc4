/** Drift: how an aspect, and a resource as a whole, has changed since the last apply or export. */

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
 * - `in sync`: nothing differs
 * - `changed here`: the manifest has changed since the last apply or export
 * - `changed there`: the resource has changed on the target since then
 * - `changed on both sides`
 * - `differs`: neither the lock nor a stamp tells which side has changed
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
