/** Implements `Migrations.plan` and `Migrations.run`. A run carries out the due migrations one after the other. */

import { type Need, type Plan, requireConfirmation } from "../plan/planned.ts";
import { type Attempt, carryOut, type Job, type MigrationResult, scriptWork, transformWork } from "./carry-out.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import { type Acceptances, type DueMigration, dueMigrations } from "./due.ts";
import { acceptAnswers } from "./foreign-answers.ts";
import { readMigrationFolder } from "./folder.ts";
import { requireNoOtherHolder } from "./hold.ts";
import { type Holder, takeHolder } from "./holder.ts";
import { type NewNames, newNames } from "./new-names.ts";
import { openTransform, type OpenTransformOptions, type WrapService } from "./open-transform.ts";
import {
  needKey,
  needsOf,
  openDue,
  openWithoutCode,
  type OpenedMigration,
  type Permissions,
  type PlannableMigration,
  type PlannedMigration,
  planMigrations,
  unpermitted,
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

export type MigrationsPlanRequest = Acceptances &
  Permissions & {
    /** The name of the last pending migration to carry out. Default: all. Interrupted migrations are always included. */
    to?: string | undefined;
  };

export type PlanDueRequest = MigrationsPlanRequest & {
  /** Executes the migrations on a copy of the target, to find out what would be refused. Default: false. */
  rehearse?: boolean | undefined;
  /**
   * Whether code is executed. False for files that are not trusted yet: migrations in YAML are planned, and code is only
   * listed. Default: true.
   */
  code?: boolean | undefined;
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
  save: () => string;
};

/** Plans the due migrations. @throws what `Migrations.plan` throws */
export async function plan(context: MigrationsContext, request: PlanDueRequest): Promise<MigrationsPlan> {
  const { due, state } = await findDue(context, request);
  const names = await namesToCheck(context);
  const opened = await (request.code === false ? openWithoutCode : openDue)(context, due);
  return planDue(context, opened, { ...state, ...request, names });
}

/** Returns the check of new names if the target may have lost its record. Called after the record was read. */
async function namesToCheck({ target, record }: MigrationsContext): Promise<NewNames | undefined> {
  return (await record()).isNew ? newNames(await target.service()) : undefined;
}

/**
 * Reads the files and the record, and selects the due migrations. `isLast` is true if no later migration has a file.
 *
 * @param holder has the id that this run writes into the record. Undefined if the run writes nothing
 */
async function findDue(
  context: MigrationsContext,
  request: MigrationsPlanRequest,
  holder?: Holder,
): Promise<{ due: DueMigration[]; state: RecordState; isLast: boolean }> {
  const [files, state] = await Promise.all([readMigrationFolder(context), readRecord(context, holder)]);
  const { to } = request;
  const isLast = to === undefined || files.every(({ name }) => name <= to);
  return { due: dueMigrations(files, state.entries, { ...request, now: context.host.now() }), state, isLast };
}

/**
 * Reads the record. A run, which has a holder, also remembers the record, and must be the only one on the target.
 *
 * @throws MIGRATION_IN_PROGRESS while another holder has a lease
 */
export async function readRecord({ record, host }: MigrationsContext, holder?: Holder): Promise<RecordState> {
  const opened = await record();
  const state = await opened.read();
  if (holder) {
    await opened.remember?.();
    requireNoOtherHolder(state.entries, { holder: holder.id, now: () => host.now() });
  }
  return state;
}

async function planDue(
  context: MigrationsContext,
  opened: readonly PlannableMigration[],
  {
    entries,
    names,
    allowReplace = false,
    rehearse = false,
  }: PlanDueRequest & Pick<RecordState, "entries"> & { names: NewNames | undefined },
): Promise<MigrationsPlan> {
  await names?.requireFirst(opened);
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
    const { plan: made, opened, sealed, names, isLast } = proposed;
    if (opened.length === 0) return unsent(proposed, "nothing");
    await requireConfirmation({ plan: made, needs: unpermitted(made.needs, request) }, confirm);
    const confirmed = new Set(made.needs.map(needKey));
    const options = { holder, confirmed, sealed, names, allowReplace };
    const record = await context.record();
    for (const one of opened) await acceptAnswers(record, one);
    const jobs = opened.map((one) => jobOf(context, one, options));
    const last = jobs.pop()!;
    const end: Job["end"] = (entry) => {
      // All migrations ran, so the record is complete.
      if (isLast) record.setNew?.(false);
      return last.end(entry);
    };
    const requireSame = sameRecordAs(proposed.state, made.record);
    const check = (state: RecordState) => {
      requireSame(state);
      if (names) record.setNew?.(true);
    };
    const results = await carryOut(context, [...jobs, { ...last, end }], { holder, signal, check });
    return {
      outcome: runOutcome(results, signal),
      migrations: results,
      target: made.target,
      // The first write decides whether the record is in a layout or in a file.
      record: (await context.record()).where,
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
  names: NewNames | undefined;
  isLast: boolean;
};

async function proposedPlan(context: MigrationsContext, request: RunRequest, holder?: Holder): Promise<Proposed> {
  const sealed = request.plan === undefined ? undefined : openSealedMigrations(request.plan);
  const to = sealed ? sealed.migrations.at(-1)?.name : request.to;
  const { due, state, isLast } = await findDue(context, { ...request, to }, holder);
  if (sealed) requireSameMigrations(sealed, { target: await context.target.key(), entries: state.entries, due });
  const opened = await openDue(context, due);
  const names = await namesToCheck(context);
  // On a copy, the earlier migrations run first, so each transform of a saved plan can be compared before the first
  // write. Without a copy, a plan is provisional if earlier migrations may change its basis. A provisional transform is
  // compared when it is carried out.
  const rehearse = sealed !== undefined && context.target.copy !== undefined;
  const made = await planDue(context, opened, { ...state, ...request, names, rehearse });
  for (const { name, plan: planned, continues, isProvisional } of made.migrations)
    if (sealed && planned && !isProvisional) requireSameChanges(sealed, name, planned, continues);
  return { plan: made, opened, sealed, state, names, isLast };
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
  names: NewNames | undefined;
};

function jobOf(
  context: MigrationsContext,
  { loaded, name, checksum, entry: before }: OpenedMigration,
  { holder, confirmed, sealed, names, allowReplace }: JobOptions,
): Job {
  const { host } = context;
  const work = isScript(loaded.migration)
    ? (attempt: Attempt) =>
        scriptWork(context, loaded, "run", attempt, async (write, former) => {
          // If the server refuses the layout of the record, the record is in a file, which is not lost unnoticed.
          if (names && (await context.record()).isNew) await names.require(name, write, former);
        })
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
