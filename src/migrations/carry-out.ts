/**
 * Carries out or reverts migrations, one after the other. Takes the entry of each migration in the record, does the
 * work, and records the result. The entry of unfinished work stays in the record, so that the next run does the rest.
 */

import { isRebase, type Plan, requireNoNeeds } from "../plan/planned.ts";
import type { ApplyResult, Project } from "../project/project.ts";
import type { Service } from "../service.ts";
import type { MigrationsContext } from "./context.ts";
import { guardWrites, type SentWrites } from "./guarded-service.ts";
import { type Hold, takeMigration, type UnheldEntry } from "./hold.ts";
import type { Holder } from "./holder.ts";
import type { LeftOut } from "./left-out.ts";
import type { LoadedMigration, ScriptWrite } from "./loaded.ts";
import { requireOwnAnswers } from "./foreign-answers.ts";
import { needKey } from "./plan-migrations.ts";
import { type MigrationEntry, type RecordState, type Replaced, stepNames } from "./record.ts";
import { runScript } from "./script.ts";

/**
 * - done: everything is done, and recorded
 * - partial: a part is done; the next run does the rest
 * - unknown: a write without an answer may have been carried out; nothing else is done
 * - failed: nothing was done, and the record is as before
 * - interrupted: a signal ended the work
 * - skipped: not begun; an earlier migration is not finished, or a signal ended the run
 * - planned: a dry run
 */
export type MigrationOutcome = "done" | "partial" | "unknown" | "failed" | "interrupted" | "skipped" | "planned";

export type MigrationResult = {
  name: string;
  outcome: MigrationOutcome;
  /**
   * What a transform or its reversal did. Absent for a script. Absent also if the apply did not begin or threw an
   * error.
   */
  applied?: ApplyResult;
  /** The forms and layouts that a transform left out, and why. */
  left: readonly LeftOut[];
  /** The names of the steps of a script that are done and recorded. Empty if nothing was done. */
  steps: readonly string[];
  /** Why the migration is not done. Absent if `applied` or `left` shows it. */
  error?: unknown;
};

/** The work on one migration, and how its entry in the record changes. */
export type Job = {
  name: string;
  /** Returns the entry to record while the work is in progress. @param entry the current entry of the migration */
  begin(entry: MigrationEntry | undefined): UnheldEntry;
  /** Returns the entry to record after the work. Undefined removes the entry. */
  end(entry: MigrationEntry): MigrationEntry | undefined;
  /** Whether an earlier run may have done a part of the work. @param entry the entry before this run took it */
  hasBegun(entry: MigrationEntry): boolean;
  /** Does the work. After an error or a result with `isDone: false`, the run begins no other job. */
  work(attempt: Attempt): Promise<Worked>;
};

/** What the work on a migration did. `error` is the reason why the work is not done. */
export type Worked = Partial<Pick<MigrationResult, "applied" | "left" | "error">> & { isDone: boolean };

export type Attempt = {
  hold: Hold;
  signal: AbortSignal;
  /**
   * @throws MIGRATION_IN_PROGRESS if this run no longer holds the migration
   * @throws the reason of the signal if the signal is aborted
   */
  requireHold: () => Promise<void>;
  /** Wraps the service. The wrapped service writes only while this run holds the migration. */
  guard: (service: Service) => Service;
};

export type CarryOutOptions = {
  holder: Holder;
  /**
   * If this signal is aborted, for example by Ctrl+C, the run ends after the requests in progress. A transform completes
   * its steps in progress first.
   */
  signal: AbortSignal;
  /** Called with the record before the first entry is taken. Throws if the jobs no longer fit the record. */
  check: (state: RecordState) => void;
};

/**
 * Carries out jobs. Stops after the first job that is not finished. Failures of the work are in the results. The
 * following errors are thrown before the first write.
 *
 * @throws MIGRATION_IN_PROGRESS if another run holds a migration
 * @throws what `check` and the first `begin` throw
 */
export async function carryOut(
  context: MigrationsContext,
  jobs: readonly Job[],
  { holder, signal, check }: CarryOutOptions,
): Promise<MigrationResult[]> {
  const [first] = jobs;
  if (!first) return [];
  const { host, onProgress } = context;
  const options = { record: await context.record(), holder: holder.id, now: () => host.now() };
  const hold = await takeMigration(options, first.name, (entry, state) => {
    check(state);
    return first.begin(entry);
  });
  const results: MigrationResult[] = [];
  for (const [index, job] of jobs.entries()) {
    onProgress({ stage: "migrating", name: job.name, number: index + 1, total: jobs.length });
    const { result, hasEffects } = await attemptJob(job, hold, signal).finally(() => onProgress({ stage: "ended" }));
    results.push(result);
    const isDone = result.outcome === "done";
    const next = jobs[index + 1];
    const goesOn = isDone && next !== undefined && !signal.aborted;
    try {
      if (goesOn)
        await hold.advance(
          (entry) => job.end(entry),
          next.name,
          (entry) => next.begin(entry),
        );
      // If the work had no effect, the former entry is restored.
      else await hold.end((entry) => (isDone ? job.end(entry) : hasEffects ? entry : hold.former()));
    } catch (error) {
      // Writing the record failed, so the record does not state what was done. The next run determines what is left to
      // do.
      results[index] = { ...result, outcome: "partial", error: result.error ?? error };
      await hold.end((entry) => entry).catch(() => undefined);
      break;
    }
    if (!goesOn) break;
  }
  const skipped = jobs.slice(results.length);
  return [...results, ...skipped.map(({ name }) => ({ name, outcome: "skipped" as const, left: [], steps: [] }))];
}

/** Does the work of a job. @returns the result, and whether the migration may have changed the target */
async function attemptJob(
  job: Job,
  hold: Hold,
  signal: AbortSignal,
): Promise<{ result: MigrationResult; hasEffects: boolean }> {
  const sent: SentWrites = { accepted: 0, unknown: 0 };
  const requireHold = async () => {
    if (signal.aborted) throw signal.reason;
    await hold.ensure();
  };
  const guard = (service: Service) => guardWrites(service, requireHold, sent);
  const work = job.work({ hold, signal, requireHold, guard });
  const { isDone, left = [], ...worked } = await work.catch((error: unknown): Worked => ({ isDone: false, error }));
  const former = hold.former();
  const hadBegun = former !== undefined && job.hasBegun(former);
  // If the apply had nothing to change, everything is done except the resources that were left out. So the outcome is
  // partial, although this run sent no writes.
  const isPartial = hadBegun || sent.accepted > 0 || worked.applied?.outcome === "unchanged";
  const unfinished = signal.aborted ? "interrupted" : isPartial ? "partial" : sent.unknown > 0 ? "unknown" : "failed";
  const outcome = isDone ? "done" : unfinished;
  const hasEffects = hadBegun || sent.accepted + sent.unknown > 0;
  // If the work had no effect, the steps that only read are not recorded, and run again.
  const steps = isDone || hasEffects ? stepsOf(hold.entry()) : [];
  return { result: { name: job.name, outcome, left, steps, ...worked }, hasEffects };
}

function stepsOf({ state, steps, downSteps = [] }: MigrationEntry): string[] {
  return stepNames(state === "reverting" ? downSteps : steps);
}

export type TransformWork = {
  /** Opens the project whose plan is the work. */
  open: (guard: Attempt["guard"]) => Project & {
    left(): readonly LeftOut[];
    /** Returns what the plan replaces. Absent for a reversal, which records no replaced contents. */
    replaced?: (plan: Plan) => Promise<readonly Replaced[]>;
    /** Returns the ids of the layouts whose recorded drafts an interrupted run has saved again. Absent for a reversal. */
    savedDrafts?: () => ReadonlySet<string>;
  };
  /** The losses that the user has confirmed. Each is a result of `needKey`. */
  confirmed: ReadonlySet<string>;
  /** Called with the plan before its first write. Throws if the plan must not be carried out. */
  check?: (plan: Plan) => void;
};

/** Carries out a transform, or brings back what it replaced. */
export async function transformWork({ open, confirmed, check }: TransformWork, attempt: Attempt): Promise<Worked> {
  const { hold, signal } = attempt;
  const project = open(attempt.guard);
  const applied = await project.apply({
    signal,
    async confirm({ plan, needs }) {
      requireNoNeeds(needs.filter((need) => !confirmed.has(needKey(need))));
      check?.(plan);
      const replaced = await project.replaced?.(plan);
      // The replaced state is recorded before the first write, so that an interrupted migration can be reverted.
      if (replaced) await hold.update((entry) => ({ ...entry, replaced: mergeReplaced(entry.replaced, replaced) }));
      return true;
    },
  });
  const left = project.left();
  const saved = new Set([...(project.savedDrafts?.() ?? []), ...rebasedLayouts(applied)]);
  // Users may change these drafts from now on. A later run must not bring the recorded ones back.
  if (saved.size > 0) await hold.update((entry) => ({ ...entry, replaced: entry.replaced.map(withoutSaved(saved)) }));
  const isApplied = applied.outcome === "applied" || applied.outcome === "unchanged";
  return { isDone: isApplied && !left.some(({ isMeant }) => isMeant), applied, left };
}

/** Returns the ids of the layouts whose drafts were saved again. */
function rebasedLayouts({ plan, resources }: ApplyResult): string[] {
  const results = new Map(resources.map((resource) => [resource.address, resource.steps]));
  return plan.resources.flatMap(({ address, layoutId, steps }) => {
    const isSaved = steps.some((step, index) => isRebase(step) && results.get(address)?.[index]?.status === "done");
    return isSaved && layoutId !== undefined ? [layoutId] : [];
  });
}

function withoutSaved(saved: ReadonlySet<string>): (each: Replaced) => Replaced {
  return (each) => {
    if (!saved.has(each.layoutId)) return each;
    // A migration saves the draft `rebased`, and its reversal the draft `formerDraft`.
    const { rebased, formerDraft: _saved, ...others } = each;
    return rebased ? { ...others, formerDraft: rebased } : others;
  };
}

/**
 * Returns what all attempts of a transform have replaced. If two attempts recorded a resource, the state from the
 * earlier attempt is kept. The earlier attempt may have changed the resource, so the later state may be the changed
 * state.
 */
function mergeReplaced(before: readonly Replaced[], now: readonly Replaced[]): Replaced[] {
  const keyOf = ({ formId, layoutId }: Replaced) => formId ?? layoutId;
  const known = new Set(before.map(keyOf));
  const latest = new Map(now.map((one) => [keyOf(one), one]));
  const kept = before.map((one) => withLatestDraft(one, latest.get(keyOf(one))));
  return [...kept, ...now.filter((one) => !known.has(keyOf(one)))];
}

/** Another user may have saved another draft since the earlier attempt, which the later one saves again or publishes. */
function withLatestDraft(before: Replaced, now: Replaced | undefined): Replaced {
  if (now?.rebased) return { ...before, rebased: now.rebased };
  const isPublished = (before.formerDraft ?? now?.formerDraft) !== undefined;
  if (!isPublished || now?.written.sha256 === undefined) return before;
  // The earlier attempt has published nothing: otherwise the later one would write no content.
  const { formerDraft: _earlier, ...others } = before;
  const { publishedVersionId, sha256, formerDraft, lost = [], written } = now;
  return {
    ...others,
    publishedVersionId,
    ...(sha256 !== undefined && { sha256 }),
    ...(formerDraft && { formerDraft }),
    written: { ...before.written, ...(written.sha256 !== undefined && { sha256: written.sha256 }) },
    lost: [...new Set([...(before.lost ?? []), ...lost])],
  };
}

/**
 * Carries out a script, or its function `down`.
 *
 * @param check called before each write, with the entry of an earlier attempt. Throws to stop the script
 */
export async function scriptWork(
  { target, host, record, onProgress }: MigrationsContext,
  loaded: LoadedMigration,
  direction: "run" | "down",
  { hold, guard, requireHold }: Attempt,
  check?: (write: ScriptWrite, former: MigrationEntry | undefined) => Promise<void>,
): Promise<Worked> {
  const entry = hold.entry();
  const { name, startedAt, steps, downSteps } = entry;
  const opened = await record();
  await requireOwnAnswers(opened, { loaded, entry });
  const member = direction === "run" ? "steps" : "downSteps";
  await runScript({
    loaded,
    direction,
    service: guard(await target.service()),
    // The ids of the writes are computed from the seed. The seed is the same for every attempt to finish this work. It
    // differs when a reverted migration runs again, because `startedAt` differs.
    seed: JSON.stringify([name, startedAt, member]),
    recorded: (direction === "run" ? steps : downSteps) ?? [],
    runSteps: steps,
    now: () => host.now(),
    async beforeWrite(write) {
      await requireHold();
      await check?.(write, hold.former());
    },
    async onStep(step) {
      await opened.answers?.add(entry, [step]);
      await hold.update((held) => ({ ...held, [member]: [...(held[member] ?? []), step] }));
      for (const done of stepNames([step])) onProgress({ stage: "step", migration: name, step: done });
    },
  });
  return { isDone: true };
}
