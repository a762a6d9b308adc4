/**
 * Collects the parts of a planned resource. The functions that plan its record, content, access and defaults add to
 * them.
 */

import type { Change } from "../../schemas/content-diff.ts";
import { digestOf } from "../content/compare.ts";
import type { LockedResource } from "../lock.ts";
import type { VersionState } from "../state.ts";
import { driftOf } from "./drift.ts";
import type { Drift, Need, Phase, PlannedStep, Replaced, StepRequest } from "./planned.ts";

export type Parts = {
  changes: readonly Change[];
  effects: string[];
  notes: string[];
  needs: Need[];
  steps: PlannedStep[];
  drift: Record<string, Drift>;
  base: Record<string, string>;
};

export function newParts(): Parts {
  return { changes: [], effects: [], notes: [], needs: [], steps: [], drift: {}, base: {} };
}

/**
 * @param replaces digests of what the step overwrites, see `PlannedStep`
 */
export function addStep(parts: Parts, phase: Phase, request: StepRequest, replaces?: Replaced): void {
  parts.steps.push({ phase, request, ...(replaces && { replaces }) });
}

/**
 * Adds to `parts` the drift of one aspect of an existing record, and the digest of its desired value for the lock. An
 * aspect that the server does not show is assumed to be as it was last applied. Such an aspect is written unless the
 * lock has the digest of the desired value.
 *
 * @param aspect.current undefined if the server does not show it
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
        : "written, because the server and the lock don't show its current state";
    parts.notes.push(`${name} can't be read from this server: ${known}`);
    return base !== digest;
  }
  if (drift === "there" || drift === "both") parts.notes.push(`${name} was changed on the target since the last apply`);
  return drift !== "same";
}

/** Adds the drift and the base of an aspect whose record does not exist. */
export function missingAspect(parts: Parts, name: string, wanted: unknown): void {
  parts.base[name] = digestOf(wanted);
  parts.drift[name] = "missing";
}

/** Returns the text that names a version: its number or, if the server does not show the number, its id. */
export function versionText({ id, number }: Pick<VersionState, "id" | "number">): string {
  return number === undefined ? id : `version ${number}`;
}
