/** What an apply comes to as a whole: a word, and what the process ends with. */

import type { ApplyReport } from "../../manifests/apply/apply.ts";
import type { ExitCode } from "../../exit-codes.ts";
import { Interrupted } from "../../terminal/interrupted.ts";
import type { Failure } from "../failure.ts";
import type { Applied, AppliedResource, AppliedStep } from "./apply-document.ts";

/** @param report undefined: nothing was done */
export function outcomeOf(
  resources: readonly AppliedResource[],
  report: Pick<ApplyReport, "interrupted"> | undefined,
): Applied["outcome"] {
  const steps = resources.flatMap((resource) => resource.steps);
  if (steps.length === 0) return "unchanged";
  if (!report) return "planned";
  if (report.interrupted) return "interrupted";
  if (resources.every(isWhole)) return "applied";
  if (steps.some(({ status }) => status === "done")) return "partial";
  return steps.some(isUnknown) ? "unknown" : "failed";
}

/** Everything of it is done or will be, and nobody has to choose between two of it. */
export function isWhole({ steps, conflict }: AppliedResource): boolean {
  return !conflict && steps.every(({ status }) => status === "done" || status === "planned");
}

/**
 * Some landed and others did not: 9. Where nothing landed: 7 if something may have, else what the first failure costs.
 *
 * @param error what stopped the run as a whole
 * @param ending aborted by the signal that the process ends with
 */
export function exitCodeOf(
  { outcome, resources, error }: Pick<Applied, "outcome" | "resources" | "error">,
  ending: AbortSignal,
): number {
  // Whatever has been done by then: the process ends with the signal.
  if (ending.aborted) return ending.reason instanceof Interrupted ? ending.reason.exitCode : 130;
  if (outcome !== "partial" && outcome !== "failed" && outcome !== "unknown") return 0;
  if (outcome === "partial" && !resources.every(isOnlyAwaitingConsent)) return 9;
  const steps = resources.flatMap((resource) => resource.steps);
  if (steps.some(isUnknown)) return OUTCOME_UNKNOWN;
  return firstFailure(steps)?.exitCode ?? error?.exitCode ?? 1;
}

function firstFailure(steps: readonly AppliedStep[]): Failure | undefined {
  return steps.find(({ error }) => error)?.error;
}

/** It was sent, and nobody knows whether it was done. */
function isUnknown({ status }: AppliedStep): boolean {
  return status === "unknown";
}

/** A draft that waits for consent to be published: nothing that anybody uses has changed. */
function isOnlyAwaitingConsent({ steps }: AppliedResource): boolean {
  if (steps.every(({ status }) => status !== "done")) return true;
  const isAwaiting = steps.some(({ error }) => error?.exitCode === CONSENT_MISSING);
  return isAwaiting && steps.every(({ status, operation }) => status !== "done" || operation === "saveDraft");
}

const CONSENT_MISSING: ExitCode = 8;
const OUTCOME_UNKNOWN: ExitCode = 7;
