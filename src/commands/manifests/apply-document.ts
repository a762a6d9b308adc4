/** The document of an apply: what `-o json` prints. */

import type { StepOutcome } from "../../manifests/apply/step-runner.ts";
import type { PlannedResource } from "../../manifests/plan/planned.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { Failure } from "../failure.ts";

export type AppliedStep = {
  operation: string;
  status: StepOutcome["status"] | "planned";
  /** Of what was made: formId, layoutId, draftVersionId, versionId. */
  ids: Readonly<Record<string, string>>;
  /** It is done, and an earlier run of the same sealed plan has done it. */
  doneBefore?: true;
  /** Why it was skipped. */
  reason?: string;
  /** It was accepted, and what came of it can't be read. */
  unconfirmed?: string;
  error?: Failure;
};

export type AppliedResource = {
  address: string;
  action: PlannedResource["action"];
  file?: string;
  line?: number;
  steps: AppliedStep[];
  /** What was made is there twice: which of the two is to be gone on with, a person decides. */
  conflict?: Failure;
};

/** What `-o json` prints. */
export type Applied = {
  /** Of the process. */
  exitCode: number;
  /** Where it was applied: as in the lock. */
  place: string;
  /**
   * `unchanged`: everything was as it should be; `planned`: a dry run; `partial`: some of it is known to be done;
   * `unknown`: nothing is, and something that was sent may be.
   */
  outcome: "unchanged" | "planned" | "applied" | "partial" | "unknown" | "failed" | "interrupted";
  summary: {
    /** Whole resources: what was done of others is told by their steps. */
    resources: Record<"created" | "updated" | "deleted" | "unchanged" | "unfinished", number>;
    steps: Record<AppliedStep["status"], number>;
    /** Of the steps that are done, those that an earlier run has done. */
    doneBefore: number;
  };
  /** What stopped the run as a whole: its record can't be written any more. */
  error?: Failure;
  resources: AppliedResource[];
  /** Warnings of the manifests. */
  problems: readonly Located[];
  /** The checks of manifests that could not run. */
  notRun: readonly string[];
};
