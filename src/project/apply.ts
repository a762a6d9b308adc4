/**
 * Implements `Project.apply`: makes the target equal to manifests, or executes a saved plan. One run at a time holds
 * the lock on the folder of journals. Every request is written to the journal before it is sent. The next run resumes
 * an interrupted run from its journal.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { applyPlan, type ApplyReport, isApplied } from "../apply/apply.ts";
import { openRuns, readRuns, type Runs } from "../apply/journal.ts";
import { recoverCreatedIds, updateLock } from "../apply/lock-update.ts";
import type { RecordedRun } from "../apply/recorded-runs.ts";
import { notCreatedValue, requireKnownLayouts, unansweredCreationsAt } from "../apply/unanswered-creations.ts";
import { type Need, type Plan, requireConfirmation } from "../plan/planned.ts";
import { applyResult, type ApplyResult } from "./apply-result.ts";
import { keepOrWarn, openProjectLock, type ProjectContext } from "./context.ts";
import { type Job, newJob } from "./job.ts";
import type { PlanChoices } from "./make-plan.ts";
import { savedJob } from "./saved-plan.ts";
import { runsFolder } from "../state/target.ts";

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
  if (openSteps(job) === 0 && job.doneBefore.length === 0) {
    const record = () => updateLock(job.plan, [], job.lock);
    await keepOrWarn(context, "could not record in .formctl that the target is in sync", record);
    return applyResult(job, undefined);
  }
  // Nothing can be sent without a journal, so the user is not asked to confirm.
  if (runs.unwritable) throw runs.unwritable;
  await confirmPlan(job, request);
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
  const { plan, target, service } = job;
  const { notCreated = [] } = request;
  const runs = await readJournals();
  await requireKnownLayouts(plan, { service, target, runs, notCreated });
  const unanswered = new Set(unansweredCreationsAt(target, runs).map(notCreatedValue));
  for (const each of notCreated.filter((one) => !unanswered.has(one))) {
    await context.onWarning({
      message: `${each} has no effect: the journals contain no unanswered creation of that address and time`,
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

/** Asks `confirm` to approve the plan, with the needs that the request does not confirm. @throws CONSENT_MISSING */
function confirmPlan(job: Job, request: ApplyRequest): Promise<void> {
  const { plan } = job;
  const resources = plan.resources.filter(({ steps }) => steps.length > 0);
  const needs = resources
    .flatMap((resource) => resource.needs)
    .filter(({ consent }) => !(consent === "allow-delete" ? request.allowDelete : request.allowReplace));
  return requireConfirmation({ plan, steps: openSteps(job), resources: resources.length, needs }, request.confirm);
}

function openSteps({ plan }: Job): number {
  return plan.resources.reduce((sum, { steps }) => sum + steps.length, 0);
}

async function execute(
  context: ProjectContext,
  job: Job,
  { runs, strict = false, signal = new AbortController().signal }: ApplyRequest & { runs: Runs },
): Promise<ApplyReport> {
  const { host, concurrency, onProgress } = context;
  const { plan, digest, target, service, lock, listed, doneBefore } = job;
  const total = openSteps(job);
  let done = 0;
  const journal = await runs.begin({ at: host.now(), plan: digest, target });
  onProgress({ stage: "applying", done, total });
  try {
    const report = await applyPlan(plan, {
      service,
      journal,
      listed,
      concurrency,
      strict,
      now: () => host.now(),
      sleep: (milliseconds, until) => host.sleep(milliseconds, until),
      ending: signal,
      onStep({ address }, { request: { operation } }, outcome) {
        if (outcome === "begun") return;
        if (outcome.status === "done") done++;
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
    const { unwritable } = report;
    const outcomes = [...doneBefore, ...report.outcomes];
    if (unwritable) await keepOrWarn(context, message, () => Promise.reject(unwritable));
    const hasDone = outcomes.some(({ status }) => status === "done");
    const outcome = outcomes.every(isApplied) ? "done" : hasDone ? "partial" : "failed";
    await keepOrWarn(context, message, async () => {
      await updateLock(plan, outcomes, lock);
      if (!unwritable) await journal.write({ event: "end", at: host.now().toISOString(), outcome });
    });
  }
}
