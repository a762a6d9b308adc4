/** The document of an apply, made of the plan and what came of it. */

import type { ApplyReport } from "../../manifests/apply/apply.ts";
import { locateFailure } from "../../manifests/apply/failures.ts";
import type { AppliedSteps, Ids } from "../../manifests/apply/recorded-runs.ts";
import type { StepOutcome } from "../../manifests/apply/step-runner.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import type { Plan, PlannedResource, StepRequest } from "../../manifests/plan/planned.ts";
import { ServiceError } from "../../service.ts";
import type { CommandContext } from "../command.ts";
import type { Failure } from "../failure.ts";
import type { Applied, AppliedResource, AppliedStep } from "./apply-document.ts";
import { exitCodeOf, isWhole, outcomeOf } from "./apply-outcome.ts";

type Circumstances = Pick<Applied, "place" | "problems" | "notRun"> & {
  /** What an earlier run of a sealed plan has done: of a report, its outcomes say so. */
  appliedSteps?: AppliedSteps;
  /** Without those of a plan that was sealed elsewhere. */
  manifests: readonly Manifest[];
};

/** @param report undefined: nothing was done, and nothing was to be done or asked for */
export async function toApplied(
  context: CommandContext,
  plan: Plan,
  report: ApplyReport | undefined,
  { place, problems, notRun, appliedSteps, manifests }: Circumstances,
): Promise<Applied> {
  const byAddress = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const outcomes = Map.groupBy(report?.outcomes ?? [], ({ resource }) => resource);
  const resources = await Promise.all(
    plan.resources.map(async (resource): Promise<AppliedResource> => {
      const { address, action, place: at, steps } = resource;
      const told = outcomes.get(address)?.toSorted((a, b) => a.step - b.step);
      const applied = told
        ? await Promise.all(told.map((outcome) => toStep(context, outcome, resource, byAddress.get(address))))
        : steps.map(({ request }, index): AppliedStep => toPlanned(request, appliedSteps?.get(address)?.get(index)));
      const conflict = told?.find((outcome) => outcome.conflict)?.conflict;
      return {
        address,
        action,
        ...(at && { file: at.file, line: at.line }),
        steps: applied,
        ...(conflict && { conflict: atLine(await context.describe(conflict), resource) }),
      };
    }),
  );
  const steps = resources.flatMap((resource) => resource.steps);
  const outcome = outcomeOf(resources, report);
  const error = report?.unwritable && (await context.describe(report.unwritable));
  const doneBefore = steps.filter((step) => step.doneBefore).length;
  return {
    exitCode: exitCodeOf({ outcome, resources, ...(error && { error }) }, context.ending),
    place,
    outcome,
    summary: { resources: countResources(resources), steps: countSteps(steps), doneBefore },
    ...(error && { error }),
    resources,
    problems,
    notRun,
  };
}

/** @param ids of what an earlier run has made; undefined: it is still to be done */
function toPlanned({ operation }: StepRequest, ids: Ids | undefined): AppliedStep {
  return ids ? { operation, status: "done", ids, doneBefore: true } : { operation, status: "planned", ids: {} };
}

async function toStep(
  context: CommandContext,
  { operation, status, ids, doneBefore, reason, unconfirmed, error }: StepOutcome,
  resource: PlannedResource,
  manifest: Manifest | undefined,
): Promise<AppliedStep> {
  const failure = error === undefined ? undefined : await context.describe(error);
  const hint = error instanceof ServiceError && error.hint === undefined ? hintOf(error) : undefined;
  if (failure && hint !== undefined) failure.hint = hint;
  if (failure && manifest) {
    const problems = locateFailure(manifest, operation, error);
    const [first] = problems;
    if (first) {
      failure.problems = problems;
      failure.location = { file: first.file, line: first.line, column: first.column };
    }
  }
  return {
    operation,
    status,
    ids,
    ...(doneBefore && { doneBefore }),
    ...(reason !== undefined && { reason }),
    ...(unconfirmed !== undefined && { unconfirmed }),
    ...(failure && { error: atLine(failure, resource) }),
  };
}

/** Where the manifest begins, if nothing more exact is known. */
function atLine(failure: Failure, { place }: PlannedResource): Failure {
  return place && !failure.location ? { ...failure, location: { ...place, column: 1 } } : failure;
}

function hintOf({ code, body, needsConfirmation }: ServiceError): string | undefined {
  if (needsConfirmation) return HINTS["FIELD_CHANGES_UNCONFIRMED"];
  return code === "DRAFT_STALE" && body.meta?.["currentDraftVersionId"] === null ? DRAFT_GONE : HINTS[code];
}

const DRAFT_GONE =
  "The draft was published or deleted after the plan was created. Look at the layout with formctl plan, then apply again.";

/** The next step, where it is another one than after a single command. */
const HINTS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  DRAFT_STALE:
    "Another user saved a draft or published one after the plan was created. Look at it with formctl plan, then apply again.",
  DRAFT_MISSING: DRAFT_GONE,
  DRAFT_INVALID: "Correct the layout and apply again: the draft is saved, and what was published stays.",
  FIELD_CHANGES_UNCONFIRMED:
    "Read what would be lost. To accept it, name it under confirmFieldChanges in the manifest.",
  ASSIGNMENT_DEFAULT_TAKEN: "Give the present default up first: formctl layouts assignments set LAYOUT --no-default",
  IDEMPOTENCY_CONFLICT:
    "Another user created it with different content. Run apply again: it updates the existing one. Where the server lists no " +
    "layouts, add its id to .formctl/lock.json first: formctl export LAYOUT_ID --into FOLDER",
  NOT_FOUND: "It was deleted after the plan was created. Run apply again: it is recreated.",
}) as Record<string, string>;

const DONE = { create: "created", update: "updated", delete: "deleted", none: "unchanged" } as const;

function countResources(resources: readonly AppliedResource[]): Applied["summary"]["resources"] {
  const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0, unfinished: 0 };
  for (const resource of resources) counts[isWhole(resource) ? DONE[resource.action] : "unfinished"]++;
  return counts;
}

function countSteps(steps: readonly AppliedStep[]): Applied["summary"]["steps"] {
  const counts = { done: 0, failed: 0, unknown: 0, skipped: 0, planned: 0 };
  for (const { status } of steps) counts[status]++;
  return counts;
}
