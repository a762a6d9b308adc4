/** What came of an apply, step by step, and what an earlier run of the same plan has done. */

import type { FormctlError } from "../../error.ts";
import type { AmbiguousNames } from "../current/read-errors.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { Ids } from "./step-context.ts";

export type StepOutcome = {
  resource: string;
  step: number;
  operation: string;
  /** `unknown`: it was sent and no answer came; `skipped`: it was not sent. */
  status: "done" | "failed" | "unknown" | "skipped";
  /** What was made: formId, layoutId, draftVersionId, versionId. */
  ids: Ids;
  /** An earlier run of the same plan has done it. */
  isBefore?: true;
  error?: unknown;
  /** Why it was skipped. */
  reason?: string;
  /** It was accepted, and what came of it can't be read. */
  unconfirmed?: string;
};

export type ApplyReport = {
  /** Of every step of the plan, in its order. */
  outcomes: readonly StepOutcome[];
  /** By address: what was made and is there twice. Its creation is done, and nothing more was sent for it. */
  conflicts: ReadonlyMap<string, AmbiguousNames>;
  /** The record could not be written any more, and something was not sent for that. */
  unwritable?: FormctlError;
  /** The program was told to end before everything was begun. */
  interrupted: boolean;
};

/** By resource and number of the step: what a run of the same plan has done before it was cut off. */
export type DoneBefore = ReadonlyMap<string, ReadonlyMap<number, Ids>>;

/** What is left to be done: the resources that have steps to be sent, and how many these are together. */
export function leftOf(
  { resources }: Plan,
  before: DoneBefore | undefined,
): { resources: readonly PlannedResource[]; steps: number } {
  const count = ({ address, steps }: PlannedResource) => steps.length - (before?.get(address)?.size ?? 0);
  const left = resources.filter((resource) => count(resource) > 0);
  return { resources: left, steps: left.reduce((sum, resource) => sum + count(resource), 0) };
}
