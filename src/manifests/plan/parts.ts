/** What a planned resource is put together from: an aspect at a time, each with what it changes and what it takes. */

import type { Change } from "../../schemas/content-diff.ts";
import { canonicalJson, isJsonObject } from "../../schemas/json.ts";
import { formatPath, type PathStep } from "../../schemas/path.ts";
import { type ModeWord, byMode } from "../../schemas/words.ts";
import { digestOf } from "../content/content.ts";
import type { LockedResource } from "../lock.ts";
import type { Drift, Need, Phase, PlannedStep, StepRequest } from "./planned.ts";

export type Parts = {
  changes: Change[];
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

/** @param replaces what was read of it; absent: there was nothing, or the request says itself what it replaces */
export function addStep(parts: Parts, phase: Phase, request: StepRequest, replaces?: PlannedStep["replaces"]): void {
  parts.steps.push({ phase, request, ...(replaces && { replaces }) });
}

/** Who has moved, by the digests of what is wanted, what is there, and what was there after the last apply or export. */
export function driftOf(wanted: string, there: string | undefined, bases: readonly (string | undefined)[]): Drift {
  const known = bases.filter((base) => base !== undefined);
  if (there === undefined) return known.length > 0 && !known.includes(wanted) ? "here" : "unobservable";
  if (wanted === there) return "same";
  if (known.includes(there)) return "here";
  if (known.includes(wanted)) return "there";
  return known.length > 0 ? "both" : "differs";
}

/** Undefined `there`: the server does not show it. */
export type Aspect = { name: string; wanted: unknown; there: unknown };

/**
 * Notes an aspect of a record that is there, and answers whether it has to be written. What the server does not show is
 * taken to be as it was last written.
 */
export function compareAspect(
  parts: Parts,
  { name, wanted, there }: Aspect,
  locked: LockedResource | undefined,
): boolean {
  const digest = digestOf(wanted);
  const base = locked?.base[name];
  parts.base[name] = digest;
  const drift = driftOf(digest, there === undefined ? undefined : digestOf(there), [base]);
  parts.drift[name] = drift;
  if (there === undefined) {
    const known =
      base === digest ? "taken to be as it was last applied" : "written, because nothing says that it is in place";
    parts.notes.push(`${name} can't be observed on this server: ${known}`);
    return base !== digest;
  }
  if (drift === "there" || drift === "both") parts.notes.push(`${name} has been changed there since the last apply`);
  return drift !== "same";
}

/** Notes an aspect of a record that is to be made. */
export function missingAspect(parts: Parts, name: string, wanted: unknown): void {
  parts.base[name] = digestOf(wanted);
  parts.drift[name] = "missing";
}

/** @param before undefined: the server does not show it */
export function changeOf(path: string, before: unknown, after: unknown): Change {
  return before === undefined ? { kind: "added", path, after } : { kind: "changed", path, before, after };
}

/** Members that differ, each on its own; a value that is no object as a whole. */
export function valueChanges(path: PathStep[], before: unknown, after: unknown): Change[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      valueChanges([...path, name], before[name], after[name]),
    );
  }
  const place = formatPath(path);
  if (before === undefined) return after === undefined ? [] : [{ kind: "added", path: place, after }];
  if (after === undefined) return [{ kind: "removed", path: place, before }];
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ kind: "changed", path: place, before, after }];
}

/** In the order in which people name them: that of a set of modes means nothing. */
export function asSet(modes: readonly ModeWord[]): ModeWord[] {
  return modes.toSorted(byMode);
}

/** `1 block`, `12 blocks` */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
