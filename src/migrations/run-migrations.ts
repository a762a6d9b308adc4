/** Implements `Migrations.plan` and `Migrations.run`. A run carries out the due migrations one after the other. */

import { FormctlError } from "../error.ts";
import type { Need, Plan } from "../manifests/plan/planned.ts";
import { requireNoNeeds } from "../manifests/project/apply.ts";
import { type Attempt, carryOut, type Job, type MigrationResult, scriptWork, transformWork } from "./carry-out.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import { type Acceptances, type DueMigration, dueMigrations } from "./due.ts";
import { readMigrationFolder } from "./folder.ts";
import { requireNoOtherHolder } from "./hold.ts";
import { type Holder, takeHolder } from "./holder.ts";
import { openTransform, type OpenTransformOptions, type WrapService } from "./open-transform.ts";
import {
  needKey,
  needsOf,
  openDue,
  type OpenedMigration,
  type PlannedMigration,
  planMigrations,
} from "./plan-migrations.ts";
import type { RecordState } from "./record.ts";
import { recordChanged } from "./record-entries.ts";
import {
  openSealedMigrations,
  requireSameChanges,
  requireSameMigrations,
  type SealedMigrations,
  sealMigrations,
} from "./sealed-plan.ts";

export type MigrationsPlanRequest = Acceptances & {
  /** The name of the last pending migration to carry out. Default: all. Interrupted migrations are always included. */
  to?: string | undefined;
  /** Permits overwriting drafts of other users. Otherwise layouts with such a draft are left out. */
  allowReplace?: boolean | undefined;
};

export type PlanDueRequest = MigrationsPlanRequest & {
  /** Executes the migrations on a copy of the target, to find out what would be refused. Default: false. */
  rehearse?: boolean | undefined;
};

export type MigrationsPlan = {
  /** The migrations that a run would carry out, in their order. */
  migrations: readonly PlannedMigration[];
  /** The losses that need a confirmation of their own. */
  needs: readonly Need[];
  /** The key of the target: see `ProjectTarget.key`. */
  target: string;
  /** Where the record of the target is. */
  record: string;
  /**
   * Returns the plan as text, for `run({ plan })`. The text omits the changes of provisional plans (see
   * `PlannedMigration.isProvisional`). The run does not check these changes.
   */
  save(): string;
};

/** Plans the due migrations. @throws what `Migrations.plan` throws */
export async function plan(context: MigrationsContext, request: PlanDueRequest): Promise<MigrationsPlan> {
  const { due, state } = await findDue(context, request);
  return planDue(context, await openDue(context, due), { ...state, ...request });
}

/**
 * Reads the files and the record, and selects the due migrations.
 *
 * @param holder has the id that this run writes into the record. Undefined if the run writes nothing
 */
async function findDue(
  { root, folder, record, host }: MigrationsContext,
  request: MigrationsPlanRequest,
  holder?: Holder,
): Promise<{ due: DueMigration[]; state: RecordState }> {
  const [files, state] = await Promise.all([
    readMigrationFolder({ root, folder }),
    record().then((opened) => opened.read()),
  ]);
  if (holder) requireNoOtherHolder(state.entries, { holder: holder.id, now: () => host.now() });
  return { due: dueMigrations(files, state.entries, { ...request, now: host.now() }), state };
}

async function planDue(
  context: MigrationsContext,
  opened: readonly OpenedMigration[],
  { entries, allowReplace = false, rehearse = false }: PlanDueRequest & Pick<RecordState, "entries">,
): Promise<MigrationsPlan> {
  const planned = await planMigrations(context, opened, { allowReplace, rehearse });
  const target = await context.target.key();
  return {
    migrations: planned,
    needs: needsOf(planned),
    target,
    record: (await context.record()).where,
    save: () => sealMigrations({ target, entries, planned }),
  };
}

export type RunRequest = MigrationsPlanRequest & {
  /**
   * The text that `MigrationsPlan.save` returned. The run is refused if a due migration or another entry of the record
   * has changed since then, or if a transform would now make other changes than the text contains.
   */
  plan?: string | undefined;
  /** Returns what would be done, without doing it. */
  dryRun?: boolean | undefined;
  /** Aborting this signal stops the run after the requests in progress. Another run does the rest. */
  signal?: AbortSignal | undefined;
  /**
   * Called once before the first write. Not called if nothing is due. Returns true to run the migrations and permit
   * `needs`. Without `confirm`, the migrations run only if `needs` is empty.
   */
  confirm?: ((proposal: RunProposal) => boolean | Promise<boolean>) | undefined;
};

/** What `confirm` has to approve. `needs` has the losses that the request does not permit. */
export type RunProposal = { plan: MigrationsPlan; needs: readonly Need[] };

/**
 * - nothing: nothing was due
 * - planned: a dry run
 * - done: every due migration is done
 * - partial: a part is done
 * - unknown: nothing is known to be done, and the outcome of a write is unknown
 * - failed: nothing was done
 * - interrupted: a signal ended the run
 */
export type RunOutcome = "nothing" | "planned" | "done" | "partial" | "unknown" | "failed" | "interrupted";

export type RunResult = {
  outcome: RunOutcome;
  /** The results of the migrations, in their order. */
  migrations: readonly MigrationResult[];
  /** The key of the target: see `ProjectTarget.key`. */
  target: string;
  /** Where the record of the target is. */
  record: string;
  plan: MigrationsPlan;
};

/** Carries out the due migrations. @throws the errors of `Migrations.run`, before the first write */
export async function run(context: MigrationsContext, request: RunRequest): Promise<RunResult> {
  const { confirm, allowReplace = false, dryRun = false, signal = new AbortController().signal } = request;
  if (dryRun) return unsent(await proposedPlan(context, request), "planned");
  const holder = await takeHolder(context, context.host);
  try {
    const proposed = await proposedPlan(context, request, holder);
    const { plan: made, opened, sealed } = proposed;
    if (opened.length === 0) return unsent(proposed, "nothing");
    const needs = request.allowReplace ? made.needs.filter(({ consent }) => consent !== "allow-replace") : made.needs;
    await requireConfirmation({ plan: made, needs }, confirm);
    const confirmed = new Set(made.needs.map(needKey));
    const jobs = opened.map((one) => jobOf(context, one, { holder, confirmed, sealed, allowReplace }));
    const results = await carryOut(context, jobs, { holder, signal, check: sameRecordAs(proposed.state, made.record) });
    return {
      outcome: runOutcome(results, signal),
      migrations: results,
      target: made.target,
      record: made.record,
      plan: made,
    };
  } finally {
    await holder.release();
  }
}

type Proposed = {
  plan: MigrationsPlan;
  opened: OpenedMigration[];
  sealed: SealedMigrations | undefined;
  /** The record that the plan is based on. */
  state: RecordState;
};

async function proposedPlan(context: MigrationsContext, request: RunRequest, holder?: Holder): Promise<Proposed> {
  const sealed = request.plan === undefined ? undefined : openSealedMigrations(request.plan);
  const to = sealed ? sealed.migrations.at(-1)?.name : request.to;
  const { due, state } = await findDue(context, { ...request, to }, holder);
  if (sealed) requireSameMigrations(sealed, { target: await context.target.key(), entries: state.entries, due });
  const opened = await openDue(context, due);
  const made = await planDue(context, opened, { ...state, ...request, rehearse: false });
  // A plan is provisional if earlier migrations may change its basis. The saved plan may be rehearsed: then the earlier
  // migrations have run on a copy. The new plan is not rehearsed, so it may be provisional. A provisional transform is
  // checked later, when it is carried out.
  for (const { name, plan: planned, continues, isProvisional } of made.migrations)
    if (sealed && planned && !isProvisional) requireSameChanges(sealed, name, planned, continues);
  return { plan: made, opened, sealed, state };
}

function unsent({ plan: made }: Proposed, outcome: "planned" | "nothing"): RunResult {
  const migrations = made.migrations.map(({ name, left, doneSteps }): MigrationResult => ({
    name,
    outcome: "planned",
    left,
    steps: doneSteps,
  }));
  return { outcome, migrations, target: made.target, record: made.record, plan: made };
}

/** Asks `confirm`, or requires that there are no needs. @throws CONSENT_MISSING */
export async function requireConfirmation<P extends { needs: readonly Need[] }>(
  proposal: P,
  confirm: ((proposal: P) => boolean | Promise<boolean>) | undefined,
): Promise<void> {
  if (!confirm) return requireNoNeeds(proposal.needs);
  if (!(await confirm(proposal))) throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/**
 * Returns a function that compares a later record with this record. The function throws MIGRATIONS_CHANGED if the
 * record has changed. For example, another run may have done a part of the plan.
 */
export function sameRecordAs({ revision }: RecordState, where: string): (state: RecordState) => void {
  return (state) => {
    if (state.revision !== revision) throw recordChanged({ where });
  };
}

type JobOptions = Pick<OpenTransformOptions, "allowReplace"> & {
  holder: Holder;
  confirmed: ReadonlySet<string>;
  sealed: SealedMigrations | undefined;
};

function jobOf(
  context: MigrationsContext,
  { loaded, name, checksum, entry: before }: OpenedMigration,
  { holder, confirmed, sealed, allowReplace }: JobOptions,
): Job {
  const { host } = context;
  const work = isScript(loaded.migration)
    ? (attempt: Attempt) => scriptWork(context, loaded, "run", attempt)
    : (attempt: Attempt) => {
        const open = (wrap: WrapService) =>
          openTransform(context, loaded, { allowReplace, recorded: before?.replaced ?? [], wrap });
        const check = (changes: Plan) => sealed && requireSameChanges(sealed, name, changes, before !== undefined);
        return transformWork({ open, confirmed, check }, attempt);
      };
  return {
    name,
    begin: (entry) => ({
      name,
      checksum,
      state: "running",
      startedAt: entry?.startedAt ?? host.now().toISOString(),
      by: holder.by,
      steps: entry?.steps ?? [],
      replaced: entry?.replaced ?? [],
    }),
    end: (entry) => ({ ...entry, state: "done", endedAt: host.now().toISOString() }),
    hasBegun: ({ steps, replaced }) => steps.length + replaced.length > 0,
    work,
  };
}

/** Returns the outcome of all migrations together. */
export function runOutcome(
  results: readonly MigrationResult[],
  signal: AbortSignal,
): Exclude<RunOutcome, "nothing" | "planned"> {
  const has = (...outcomes: MigrationResult["outcome"][]) => results.some(({ outcome }) => outcomes.includes(outcome));
  if (results.every(({ outcome }) => outcome === "done")) return "done";
  if (signal.aborted) return "interrupted";
  if (has("done", "partial")) return "partial";
  return has("unknown") ? "unknown" : "failed";
}
