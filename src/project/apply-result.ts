/** Builds the result of an apply, resource by resource and step by step. */

import type { Located } from "../schemas/diagnostic.ts";
import { ServiceError } from "../service.ts";
import type { ApplyReport } from "../apply/apply.ts";
import type { StepOutcome } from "../apply/step-runner.ts";
import { hintOf, locateFailure } from "../apply/failures.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { Job } from "./job.ts";

export type StepResult = {
  operation: string;
  /**
   * - `unknown`: the step was sent and not answered
   * - `skipped`: the step was not sent
   * - `planned`: the run did not begin
   */
  status: "done" | "failed" | "unknown" | "skipped" | "planned";
  /** The ids of what the step created: formId, layoutId, draftVersionId, versionId. */
  ids: Readonly<Record<string, string>>;
  /** Present if an earlier run of the same plan applied the step. */
  doneBefore?: true;
  /** Why the step was skipped. */
  reason?: string;
  /** The message of the error. Present if the service accepted the step but its effect could not be read. */
  unconfirmed?: string;
  /** The error if the step failed or has an unknown outcome: a ServiceError, OUTCOME_UNKNOWN, and so on. */
  error?: Error;
  /** The next step for the user. Present if `error` has no hint, and `hintOf` returns one. */
  hint?: string;
  /** The objections of the service, located at the lines of the manifest. */
  problems?: readonly Located[];
};

export type ResourceResult = {
  address: string;
  action: PlannedResource["action"];
  /** The position of the manifest. */
  place?: { file: string; line: number };
  steps: readonly StepResult[];
  /**
   * An AmbiguousNames error if the target contains the created resource more than once. The user has to choose which of
   * these resources to keep.
   */
  conflict?: Error;
};

/**
 * The first of these that is true:
 *
 * - `unchanged`: everything was in sync
 * - `planned`: a dry run
 * - `interrupted`: `signal` was aborted, so at least one step was not sent
 * - `applied`: every step is done, and no resource has a conflict
 * - `partial`: at least one step is done
 * - `unknown`: a step was sent and not answered
 * - `failed`: no step is done
 */
export type ApplyOutcome = "unchanged" | "planned" | "applied" | "partial" | "unknown" | "failed" | "interrupted";

export type ApplyResult = {
  outcome: ApplyOutcome;
  /** The key of the target. */
  target: string;
  plan: Plan;
  resources: readonly ResourceResult[];
  summary: {
    /**
     * The number of resources by action. A resource is finished if it has no conflict and every step is done or
     * planned.
     */
    resources: Record<"created" | "updated" | "deleted" | "unchanged" | "unfinished", number>;
    steps: Record<StepResult["status"], number>;
    /** The number of done steps that an earlier run applied. */
    doneBefore: number;
  };
  /** The error that stopped the whole run: the journal could not be written. */
  error?: Error;
  /** Warnings of the manifests. */
  problems: readonly Located[];
  /** The checks of manifests that could not run, and why. */
  notRun: readonly string[];
  /** The texts of the manifests' files, to show the lines of problems. Empty for a saved plan. */
  sources: ReadonlyMap<string, string>;
};

/** Builds the result of an apply. @param report undefined if nothing was sent */
export function applyResult(job: Job, report: ApplyReport | undefined): ApplyResult {
  const { plan, manifests, target, problems, notRun, sources } = job;
  const byAddress = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const before = Map.groupBy(job.doneBefore, ({ resource }) => resource);
  const outcomes = Map.groupBy(report?.outcomes ?? [], ({ resource }) => resource);
  const planned = plan.resources.map(({ address, action, place, steps }): ResourceResult => {
    const own = outcomes.get(address)?.toSorted((a, b) => a.step - b.step);
    const stepsBefore = before.get(address) ?? [];
    const conflict = own?.find((outcome) => outcome.conflict)?.conflict;
    return {
      address,
      action,
      ...(place && { place }),
      steps: [
        ...stepsBefore.map((outcome) => stepResult(outcome, undefined)),
        ...(own
          ? own.map((outcome) => stepResult(outcome, byAddress.get(address)))
          : steps.map(({ request: { operation } }) => ({ operation, status: "planned" as const, ids: {} }))),
      ],
      ...(conflict && { conflict }),
    };
  });
  const others = job.others.map(({ address, action }): ResourceResult => ({
    address,
    action,
    steps: (before.get(address) ?? []).map((outcome) => stepResult(outcome, undefined)),
  }));
  const resources = [...planned, ...others];
  const steps = resources.flatMap((resource) => resource.steps);
  return {
    outcome: outcomeOf(resources, report),
    target,
    plan,
    resources,
    summary: {
      resources: countResources(resources),
      steps: countSteps(steps),
      doneBefore: steps.filter((step) => step.doneBefore).length,
    },
    ...(report?.unwritable && { error: report.unwritable }),
    problems,
    notRun,
    sources,
  };
}

function stepResult(outcome: StepOutcome, manifest: Manifest | undefined): StepResult {
  const { operation, status, ids, doneBefore, reason, unconfirmed, error } = outcome;
  const hint = error instanceof ServiceError && error.hint === undefined ? hintOf(error) : undefined;
  const problems = error !== undefined && manifest ? locateFailure(manifest, operation, error) : [];
  return {
    operation,
    status,
    ids,
    ...(doneBefore && { doneBefore }),
    ...(reason !== undefined && { reason }),
    ...(unconfirmed !== undefined && { unconfirmed }),
    ...(error !== undefined && { error: asError(error) }),
    ...(hint !== undefined && { hint }),
    ...(problems.length > 0 && { problems }),
  };
}

/** @param report undefined if nothing was sent */
function outcomeOf(resources: readonly ResourceResult[], report: ApplyReport | undefined): ApplyOutcome {
  const steps = resources.flatMap((resource) => resource.steps);
  if (steps.length === 0) return "unchanged";
  if (!report) return "planned";
  if (report.interrupted) return "interrupted";
  if (resources.every(isFinished)) return "applied";
  if (steps.some(({ status }) => status === "done")) return "partial";
  return steps.some(({ status }) => status === "unknown") ? "unknown" : "failed";
}

function isFinished({ steps, conflict }: ResourceResult): boolean {
  return !conflict && steps.every(({ status }) => status === "done" || status === "planned");
}

const FINISHED = { create: "created", update: "updated", delete: "deleted", none: "unchanged" } as const;

function countResources(resources: readonly ResourceResult[]): ApplyResult["summary"]["resources"] {
  const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0, unfinished: 0 };
  for (const resource of resources) counts[isFinished(resource) ? FINISHED[resource.action] : "unfinished"]++;
  return counts;
}

function countSteps(steps: readonly StepResult[]): ApplyResult["summary"]["steps"] {
  const counts = { done: 0, failed: 0, unknown: 0, skipped: 0, planned: 0 };
  for (const { status } of steps) counts[status]++;
  return counts;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("the step failed", { cause: error });
}
