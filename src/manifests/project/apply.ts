/**
 * Implements `Project.apply`: makes the target equal to manifests, or executes a saved plan. One run at a time holds
 * the lock on the folder of journals. Every request is written to the journal before it is sent. The next run resumes
 * an interrupted run from its journal.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { FormctlError } from "../../error.ts";
import { applyPlan, type ApplyReport, isApplied } from "../apply/apply.ts";
import { openRuns, readRuns, type Runs } from "../apply/journal.ts";
import { recoverCreatedIds, updateLock } from "../apply/lock-update.ts";
import { type AppliedSteps, type RecordedRun, remainingSteps } from "../apply/recorded-runs.ts";
import { notCreatedValue, requireKnownLayouts, unansweredCreationsAt } from "../apply/unanswered-creations.ts";
import type { Need, Plan, PlannedResource } from "../plan/planned.ts";
import { applyResult, type ApplyResult } from "./apply-result.ts";
import { keepOrWarn, openProjectLock, type ProjectContext, runsFolder } from "./context.ts";
import { type Job, newJob, savedJob } from "./job.ts";
import type { PlanChoices } from "./make-plan.ts";

export type { ApplyResult };

export type ApplyRequest = PlanChoices & {
  /**
   * The text of a saved plan, as `PlanResult.save` returns it. To apply a plan file, put its path into `paths` instead.
   */
  plan?: string;
  /** Permits the deletion of forms. */
  allowDelete?: boolean;
  /** Permits overwriting drafts of other users. */
  allowReplace?: boolean;
  /**
   * Creations with an unknown outcome. The user has verified that these creations were not carried out. Each is an
   * `ADDRESS@TIME`, as errors and plans show it.
   */
  notCreated?: readonly string[];
  /** Returns what would be done, without doing it. */
  dryRun?: boolean;
  /**
   * If the signal is aborted, the run ends after the steps in progress. Such a step may still send requests. No other
   * step starts. The next apply resumes the run.
   */
  signal?: AbortSignal;
  /**
   * Called once before the first write. Not called if nothing has to be done. Returns true to apply the plan and permit
   * its `needs`, or false to cancel. Without `confirm`, the plan is applied only if `needs` is empty.
   */
  confirm?: (proposal: Proposal) => boolean | Promise<boolean>;
};

/** The work that `confirm` has to approve. */
export type Proposal = {
  plan: Plan;
  /**
   * `steps` is the number of steps that are left. `resources` is the number of resources with these steps. Steps that
   * an interrupted run applied are not counted.
   */
  steps: number;
  resources: number;
  /** The losses that `allowDelete` and `allowReplace` do not permit. */
  needs: readonly Need[];
};

export async function apply(context: ProjectContext, request: ApplyRequest): Promise<ApplyResult> {
  const folder = runsFolder(context);
  // A dry run does not write, so it does not take the lock on the folder.
  if (request.dryRun) return applyResult(await findJob(context, request, () => readRuns(folder)), undefined);
  const runs = await openRuns(folder, await context.host.processes());
  const result = await applyHeld(context, request, runs).catch(async (error: unknown) => {
    await runs.close().catch(() => undefined);
    throw error;
  });
  await keepOrWarn(context, "could not clean up the folder of journals", () => runs.close());
  return result;
}

async function applyHeld(context: ProjectContext, request: ApplyRequest, runs: Runs): Promise<ApplyResult> {
  // Interrupted runs may have created layouts. If the server can't list layouts, the plan finds these layouts by the
  // ids in the journals.
  await recoverCreatedIds(await runs.list(), (key) => openProjectLock(context, key));
  const job = await findJob(context, request, () => runs.list());
  if (job.plan.resources.every(({ steps }) => steps.length === 0)) {
    const record = () => updateLock(job.plan, [], job.lock);
    await keepOrWarn(context, "could not record in .formctl that the target is in sync", record);
    return applyResult(job, undefined);
  }
  // Nothing can be sent without a journal, so the user is not asked to confirm.
  if (runs.unwritable) throw runs.unwritable;
  await requireConfirmation(job, request);
  return applyResult(job, await execute(context, job, { ...request, runs }));
}

/** Returns the plan to execute. @param readJournals reads the earlier runs on all targets, the oldest first */
async function findJob(
  context: ProjectContext,
  request: ApplyRequest,
  readJournals: () => Promise<RecordedRun[]>,
): Promise<Job> {
  const saved = request.plan ?? (await readSavedPlan(context, request.paths ?? []));
  const job =
    saved === undefined
      ? await newJob(context, request)
      : await savedJob(context, { text: saved, request, runs: await readJournals() });
  const { plan, target, service, appliedSteps } = job;
  const { notCreated = [] } = request;
  const runs = await readJournals();
  await requireKnownLayouts(plan, { service, target, runs, appliedSteps, notCreated });
  const unanswered = new Set(unansweredCreationsAt(target, runs).map(notCreatedValue));
  for (const each of notCreated.filter((one) => !unanswered.has(one))) {
    await context.onWarning({
      message: `--not-created ${each} has no effect: the journals contain no unanswered creation of that address and time`,
    });
  }
  return job;
}

/**
 * Returns the text of a saved plan. Undefined if the paths are paths of manifests. The file name of a saved plan must
 * not end in .yaml or .yml.
 */
async function readSavedPlan({ cwd, host }: ProjectContext, paths: readonly string[]): Promise<string | undefined> {
  const [path] = paths;
  if (paths.length !== 1 || path === undefined || path === "-" || /\.ya?ml$/i.test(path)) return undefined;
  // Reads only a regular file. A pipe can be read only once, and may contain manifests.
  const isFile = await stat(resolve(cwd, path)).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) return undefined;
  const text = new TextDecoder().decode(await host.readFile(path));
  // A truncated or edited plan matches too. The user then gets an error about a plan, and not about a manifest.
  return /^\s*\{\s*"(version|plan)"\s*:/.test(text) ? text : undefined;
}

/**
 * Asks `confirm` to approve the plan. Without `confirm`, requires that the plan has no needs left to confirm.
 *
 * @throws CONSENT_MISSING
 */
async function requireConfirmation({ plan, appliedSteps }: Job, request: ApplyRequest): Promise<void> {
  const { steps, resources } = remainingSteps(plan, appliedSteps);
  const needs = resources
    .flatMap((resource) => openNeeds(resource, appliedSteps))
    .filter(({ consent }) => !(consent === "allow-delete" ? request.allowDelete : request.allowReplace));
  if (!request.confirm) return requireNoNeeds(needs);
  const isConfirmed = await request.confirm({ plan, steps, resources: resources.length, needs });
  if (!isConfirmed) throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/**
 * Returns the needs of a resource that still have to be confirmed. If an earlier run completed a step, the need of the
 * step was confirmed in that run.
 */
function openNeeds({ address, needs, steps }: PlannedResource, appliedSteps: AppliedSteps | undefined): Need[] {
  const done = appliedSteps?.get(address);
  const isDone = (operation: string) => {
    const losing = [...steps.entries()].filter(([, { request }]) => request.operation === operation);
    return losing.length > 0 && losing.every(([index]) => done?.has(index));
  };
  return needs.filter(({ consent }) => !isDone(LOSING_OPERATION[consent]));
}

const LOSING_OPERATION = { "allow-delete": "deleteForm", "allow-replace": "saveDraft" } as const;

/**
 * Throws if there are needs. The message contains all losses and all missing flags at once.
 *
 * @throws CONSENT_MISSING
 */
export function requireNoNeeds(needs: readonly Need[]): void {
  if (needs.length === 0) return;
  const facts = needs.map(({ what, lost }) =>
    lost.length === 0 ? `${what}.` : `${what}. Permanently deleted: ${lost.join("; ")}.`,
  );
  const flags = [...new Set(needs.map(({ consent }) => `--${consent}`))];
  const hint = `To confirm, add ${flags.join(" and ")}.`;
  throw new FormctlError("CONSENT_MISSING", `confirmation required: ${facts.join(" ")}`, hint);
}

async function execute(
  context: ProjectContext,
  job: Job,
  { runs, strict = false, signal = new AbortController().signal }: ApplyRequest & { runs: Runs },
): Promise<ApplyReport> {
  const { host, concurrency, onProgress } = context;
  const { plan, digest, target, service, lock, listed, appliedSteps } = job;
  const total = remainingSteps(plan, appliedSteps).steps;
  let done = 0;
  const journal = await runs.begin({ at: host.now(), plan: digest, target });
  onProgress({ stage: "applying", done, total });
  try {
    const report = await applyPlan(plan, {
      service,
      journal,
      listed,
      ...(appliedSteps && { appliedSteps }),
      concurrency,
      strict,
      now: () => host.now(),
      sleep: (milliseconds, until) => host.sleep(milliseconds, until),
      ending: signal,
      onStep({ address }, { request: { operation } }, outcome) {
        if (outcome === "begun") return;
        done++;
        onProgress({ stage: "applying", done, total, step: { address, operation, status: outcome.status } });
      },
      onWait: (until, isAsked) => onProgress({ stage: "waiting", done, total, until, isAsked }),
    });
    await record(report);
    return report;
  } finally {
    onProgress({ stage: "ended" });
    await journal.close();
  }

  /**
   * Records the outcomes in `lock.json` and ends the journal. If one of the two files can't be written, the journal
   * gets no end entry. The next run then takes the ids of created resources from this journal.
   */
  async function record(report: ApplyReport): Promise<void> {
    const message = "could not record in .formctl what was applied";
    const { outcomes, unwritable } = report;
    if (unwritable) await keepOrWarn(context, message, () => Promise.reject(unwritable));
    const hasDone = outcomes.some(({ status }) => status === "done");
    const outcome = outcomes.every(isApplied) ? "done" : hasDone ? "partial" : "failed";
    await keepOrWarn(context, message, async () => {
      await updateLock(plan, outcomes, lock);
      if (!unwritable) await journal.write({ event: "end", at: host.now().toISOString(), outcome });
    });
  }
}
