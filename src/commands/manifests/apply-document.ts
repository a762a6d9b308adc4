/** Creates the document that `formctl apply -o json` prints, and finds the exit code of the process. */

import { EXIT_OF_SIGNAL } from "../../base/exit-codes.ts";
import type { PlannedResource } from "../../plan/planned.ts";
import type { ApplyOutcome, ApplyResult, ResourceResult, StepResult } from "../../project/project.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { endSignalOf } from "../../terminal/interrupted.ts";
import type { CommandContext } from "../command.ts";
import type { Failure } from "../failure.ts";

export type AppliedStep = Omit<StepResult, "error" | "hint" | "problems"> & { error?: Failure };

export type AppliedResource = {
  address: string;
  action: PlannedResource["action"];
  file?: string;
  line?: number;
  steps: AppliedStep[];
  /** Present if the created record exists more than once. The user has to decide which record to keep. */
  conflict?: Failure;
};

export type Applied = {
  exitCode: number;
  /** The key of the target, as in the lock file. */
  target: string;
  outcome: ApplyOutcome;
  summary: ApplyResult["summary"];
  /** The error that stopped the whole run. */
  error?: Failure;
  resources: AppliedResource[];
  /** The warnings about the manifests. */
  problems: readonly Located[];
  /** The checks of the manifests that could not run. */
  notRun: readonly string[];
};

export async function appliedDocument(context: CommandContext, result: ApplyResult): Promise<Applied> {
  const { target, outcome, summary, problems, notRun } = result;
  const resources = await Promise.all(result.resources.map((resource) => appliedResource(context, resource)));
  const error = result.error && (await context.describe(result.error));
  return {
    exitCode: exitCodeOf({ outcome, resources, ...(error && { error }) }, context.ending),
    target,
    outcome,
    summary,
    ...(error && { error }),
    resources,
    problems,
    notRun,
  };
}

async function appliedResource(context: CommandContext, resource: ResourceResult): Promise<AppliedResource> {
  const { address, action, place, steps, conflict } = resource;
  return {
    address,
    action,
    ...(place && { file: place.file, line: place.line }),
    steps: await Promise.all(steps.map((step) => appliedStep(context, step, place))),
    ...(conflict && { conflict: located(await context.describe(conflict), place) }),
  };
}

async function appliedStep(
  context: CommandContext,
  { error, hint, problems = [], ...step }: StepResult,
  place: ResourceResult["place"],
): Promise<AppliedStep> {
  if (error === undefined) return step;
  const failure = await context.describe(error, hint);
  const [first] = problems;
  if (first) {
    failure.problems = [...problems];
    failure.location = { file: first.file, line: first.line, column: first.column };
  }
  return { ...step, error: located(failure, place) };
}

/** Adds the position of the manifest to a failure that has no location. */
function located(failure: Failure, place: ResourceResult["place"]): Failure {
  return place && !failure.location ? { ...failure, location: { ...place, column: 1 } } : failure;
}

/**
 * Returns the exit code of a run. The first condition that is met decides:
 *
 * - A signal ended the run: the exit code of the signal.
 * - Nothing failed: 0.
 * - Only a part of the plan was applied: 9. Saved drafts whose publication requires confirmation do not count as
 *   applied.
 * - The outcome of a step is unknown: 7.
 * - Otherwise: the exit code of the first failure.
 *
 * @param ending aborted by the signal that ends the process
 */
function exitCodeOf(
  { outcome, resources, error }: Pick<Applied, "outcome" | "resources" | "error">,
  ending: AbortSignal,
): number {
  if (ending.aborted) return EXIT_OF_SIGNAL[endSignalOf(ending)];
  if (outcome !== "partial" && outcome !== "failed" && outcome !== "unknown") return 0;
  if (outcome === "partial" && !resources.every(isOnlyUnconfirmed)) return 9;
  const steps = resources.flatMap((resource) => resource.steps);
  if (steps.some(({ status }) => status === "unknown")) return 7;
  return steps.find((step) => step.error)?.error?.exitCode ?? error?.exitCode ?? 1;
}

/**
 * Whether the run has changed nothing that users of the resource see. Either no step is done, or only a draft is saved,
 * and its publication requires confirmation.
 */
function isOnlyUnconfirmed({ steps }: AppliedResource): boolean {
  if (steps.every(({ status }) => status !== "done")) return true;
  const isUnconfirmed = steps.some(({ error }) => error?.exitCode === 8);
  return isUnconfirmed && steps.every(({ status, operation }) => status !== "done" || operation === "saveDraft");
}
