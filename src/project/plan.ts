/**
 * Implements `Project.plan` and `Project.status`. A plan contains the steps that make the target equal to manifests. It
 * can be saved to a file. A status reports how each manifest and the target differ, and whether the manifest or the
 * target changed.
 */

import { resolve } from "node:path";
import type { Located } from "../schemas/diagnostic.ts";
import { type Plan, type PlannedResource, type State, stateOf } from "../plan/planned.ts";
import type { ProjectContext } from "./context.ts";
import { type MadePlan, makePlan, type PlanChoices } from "./make-plan.ts";
import { type PlannedLayout, plannedLayouts } from "./layouts.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";
import { savePlan } from "./saved-plan.ts";
import { requirePlanFile, writePlanFile } from "../plan/seal.ts";

export type PlanRequest = PlanChoices & {
  /**
   * The file to save the plan in, relative to the project's `cwd`. Only the owner of the file can read it. The plan
   * contains the values of `${NAME}`, which may be secret.
   */
  out?: string | undefined;
  /**
   * Executes the steps on a copy of the target. The rehearsal reports what the target would refuse, and the effects of
   * the plan. Default: false.
   */
  rehearse?: boolean;
};

export type PlanResult = {
  plan: Plan;
  summary: PlanSummary;
  /** Whether at least one resource would be created, updated or deleted. */
  hasChanges: boolean;
  /** Returns the plan as text, for `apply({ plan })` or a file. The text contains a hash that detects changes. */
  save: () => string;
  /** Returns the layouts whose content the plan writes. Each has its content before and after the plan. */
  layouts(): PlannedLayout[];
  /** The key of the target. */
  target: string;
  /** Warnings of the manifests. */
  problems: readonly Located[];
  /** The checks that could not run, and why. */
  notRun: readonly string[];
  /** Creations that the plan repeats although their outcome is unknown. Apply requires each of them in `notCreated`. */
  unansweredCreations: readonly string[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
  /** What happened on the copy. Undefined if the plan was not rehearsed. */
  rehearsal: Rehearsal | undefined;
};

export type PlanSummary = Record<PlannedResource["action"], number>;

export async function plan(
  context: ProjectContext,
  { out, rehearse = false, ...choices }: PlanRequest,
): Promise<PlanResult> {
  const path = out === undefined ? undefined : resolve(context.cwd, out);
  if (path !== undefined) await requirePlanFile(path, context.root);
  const made = await makePlan(context, { ...choices, rehearse });
  const { plan: changes, set, target, problems, notRun, unansweredCreations } = made;
  const save = () => savePlan(context, made);
  if (path !== undefined) await writePlanFile(path, save());
  const summary = { create: 0, update: 0, delete: 0, none: 0 };
  for (const { action } of changes.resources) summary[action]++;
  const hasChanges = summary.create + summary.update + summary.delete > 0;
  const rehearsal = rehearse ? await rehearsed(context, made, choices) : undefined;
  return {
    plan: changes,
    summary,
    hasChanges,
    save,
    layouts: () => plannedLayouts(changes, made.loaded, made.current),
    target,
    problems,
    notRun,
    unansweredCreations,
    sources: set.sources,
    rehearsal,
  };
}

async function rehearsed(context: ProjectContext, made: MadePlan, { strict = false }: PlanChoices): Promise<Rehearsal> {
  const { target, concurrency, host, onProgress } = context;
  if (!context.rehearse) throw new Error("the project has no `rehearse` to rehearse a plan with");
  const { plan: changes, current, set, loaded } = made;
  const { nameOf } = await target.references();
  try {
    return await context.rehearse({
      plan: changes,
      target,
      current,
      manifests: set.manifests,
      organization: loaded.organization,
      nameOf,
      strict,
      concurrency,
      now: () => host.now(),
      onStep: (done, total) => onProgress({ stage: "rehearsing", done, total }),
    });
  } finally {
    onProgress({ stage: "ended" });
  }
}

export type StatusRequest = Pick<PlanChoices, "paths" | "targets" | "publish">;

export type ResourceStatus = Pick<PlannedResource, "address" | "kind" | "drift" | "notes" | "formId" | "layoutId"> & {
  state: State;
};

export type StatusResult = {
  /** The state of each resource, in the order of the manifests. */
  resources: readonly ResourceStatus[];
  /** The plan from which the states are derived. */
  plan: Plan;
  /** The key of the target. */
  target: string;
  problems: readonly Located[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

export async function status(context: ProjectContext, request: StatusRequest): Promise<StatusResult> {
  const { plan: changes, target, problems, set } = await makePlan(context, { ...request, reportOnly: true });
  const resources = changes.resources.map((resource): ResourceStatus => {
    const { address, kind, drift, notes, formId, layoutId } = resource;
    const ids = { ...(formId !== undefined && { formId }), ...(layoutId !== undefined && { layoutId }) };
    return { address, kind, state: stateOf(resource), ...ids, drift, notes };
  });
  return { resources, plan: changes, target, problems, sources: set.sources };
}
