/** How a manifest and what it describes stand to each other, in one word. */

import type { PlannedResource } from "./planned.ts";

/**
 * - `in sync`: nothing differs
 * - `changed here`, `changed there`, `changed on both sides`: since the last apply or export, by lock and stamp
 * - `differs`: neither tells who has changed it
 * - `not there`: it is to be made
 * - `unobservable`: the server does not show all of it, and what it shows is in place
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
  const moves = new Set(Object.values(drift));
  // A layout that was never published has nothing there that anybody could have changed.
  const here = moves.has("here") || moves.has("missing");
  const there = moves.has("there");
  if (moves.has("both") || (here && there)) return "changed on both sides";
  if (moves.has("differs")) return "differs";
  if (there) return "changed there";
  if (here) return "changed here";
  // All that was compared is the same, and yet something is to be done: modes that the published version was not made for.
  if (steps.length > 0) return "differs";
  return moves.has("unobservable") ? "unobservable" : "in sync";
}

/** Whether an apply would have something to do, or somebody something to look at. */
export function isDrifted(state: State): boolean {
  return state !== "in sync" && state !== "unobservable";
}
