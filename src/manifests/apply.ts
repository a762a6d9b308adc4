/** Plan + service + journal → outcomes. What failed stops its own resource; the others go on. */

import type { Service } from "../service.ts";
import type { Journal, UnfinishedRun } from "./journal.ts";
import type { Plan, PlannedResource, PlannedStep } from "./plan.ts";

export type StepOutcome = {
  resource: string;
  step: number;
  operation: string;
  /** `unknown`: it was sent and no answer came; `skipped`: an earlier step of the resource did not land. */
  status: "done" | "failed" | "unknown" | "skipped";
  /** What was made: formId, layoutId, draftVersionId, versionId. */
  ids: Readonly<Record<string, string>>;
  error?: unknown;
};

export type ApplyReport = { outcomes: readonly StepOutcome[] };

export type ApplyOptions = {
  service: Service;
  journal: Journal;
  /** Of the same plan, to go on where it ended. */
  resumes?: UnfinishedRun;
  /** The place that is written to, for mutation ids: origin and organization. */
  place: string;
  concurrency: number;
  now: () => Date;
  /** Aborted by the first signal: requests under way are finished, no others begin. */
  ending: AbortSignal;
  onStep: (resource: PlannedResource, step: PlannedStep, outcome: StepOutcome | "begun") => void;
};

export declare function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport>;
