/** Implements `Migrations.run`, which carries out the due migrations, one after the other. */

import { FormctlError } from "../error.ts";
import type { Need, Plan } from "../manifests/plan/planned.ts";
import { requireNoNeeds } from "../manifests/project/apply.ts";
import {
  carryOutScript,
  carryOutTransform,
  type CarryOutOptions,
  type Entering,
  type MigrationResult,
} from "./carry-out.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import { type Acceptances, type DueMigration, dueMigrations } from "./due.ts";
import { readMigrationFolder } from "./folder.ts";
import { requireNoOtherHolder } from "./hold.ts";
import { takeHolder } from "./holder.ts";
import { openTransform, type OpenTransformOptions, type WrapService } from "./open-transform.ts";
import {
  needKey,
  needsOf,
  openDue,
  type OpenedMigration,
  type PlannedMigration,
  planMigrations,
} from "./plan-migrations.ts";
import type { MigrationEntry, Replaced } from "./record.ts";
import {
  openSealedMigrations,
  requireSameChanges,
  requireSameMigrations,
  type SealedMigrations,
  sealMigrations,
} from "./sealed-plan.ts";

export type MigrationsPlanRequest = Acceptances & {
  /** The name of the last migration. Default: all that are pending. */
  to?: string | undefined;
  /** Permits overwriting drafts of other users. Otherwise their layouts are left out. */
  allowReplace?: boolean | undefined;
};

export type MigrationsPlan = {
  /** The migrations that a run would carry out, in their order. */
  migrations: readonly PlannedMigration[];
  /** The losses that need a confirmation of their own. */
  needs: readonly Need[];
  /** The key of the target. */
  target: string;
  /** Where the record of the target is. */
  record: string;
  /** Returns the plan as text, for `run({ plan })`. @throws USAGE if a plan may differ when it is carried out */
  save(): string;
};

/** Plans the due migrations. @throws what `Migrations.plan` throws */
export async function plan(context: MigrationsContext, request: MigrationsPlanRequest): Promise<MigrationsPlan> {
  const { due, entries } = await findDue(context, request);
  return planDue(context, await openDue(context, due), { entries, ...request });
}

async function findDue(
  { root, folder, record, host }: MigrationsContext,
  request: MigrationsPlanRequest,
): Promise<{ due: DueMigration[]; entries: readonly MigrationEntry[] }> {
  const [files, { entries }] = await Promise.all([
    readMigrationFolder({ root, folder }),
    record().then((opened) => opened.read()),
  ]);
  return { due: dueMigrations(files, entries, { ...request, now: host.now() }), entries };
}

async function planDue(
  context: MigrationsContext,
  opened: readonly OpenedMigration[],
  { entries, allowReplace }: Pick<OpenTransformOptions, "allowReplace"> & { entries: readonly MigrationEntry[] },
): Promise<MigrationsPlan> {
  const planned = await planMigrations(context, opened, { allowReplace });
  const place = await context.target.key();
  return {
    migrations: planned,
    needs: needsOf(planned),
    target: place,
    record: (await context.record()).where,
    save: () => sealMigrations({ place, entries, planned }),
  };
}

export type RunRequest = MigrationsPlanRequest & {
  /** The text of a saved plan, as `MigrationsPlan.save` returns it. The run is refused if anything has changed since. */
  plan?: string | undefined;
  /** Returns what would be done, without doing it. */
  dryRun?: boolean | undefined;
  /** Stops the run when it is aborted: requests in progress complete. Another run does the rest. */
  signal?: AbortSignal | undefined;
  /**
   * Called once before the first write, unless nothing is due. Returns true to run the migrations and permit `needs`.
   * Without `confirm`, the migrations run only if `needs` is empty.
   */
  confirm?: ((proposal: RunProposal) => boolean | Promise<boolean>) | undefined;
};

/** What `confirm` has to approve. `needs` are the losses that the request does not permit. */
export type RunProposal = { plan: MigrationsPlan; needs: readonly Need[] };

/**
 * - nothing: nothing was due
 * - planned: a dry run
 * - done: every due migration is done
 * - partial: something is done
 * - unknown: nothing is known to be done, but a write without an answer may be
 * - failed: nothing was done
 * - interrupted: a signal ended the run
 */
export type RunOutcome = "nothing" | "planned" | "done" | "partial" | "unknown" | "failed" | "interrupted";

export type RunResult = {
  outcome: RunOutcome;
  /** The results of the migrations, in their order. */
  migrations: readonly MigrationResult[];
  /** The key of the target. */
  target: string;
  /** Where the record of the target is. */
  record: string;
  plan: MigrationsPlan;
};

/** Carries out the due migrations. @throws before the first write: what `Migrations.run` throws */
export async function run(context: MigrationsContext, request: RunRequest): Promise<RunResult> {
  const { confirm, allowReplace, dryRun = false, signal = new AbortController().signal } = request;
  if (dryRun) return unsent(await proposedPlan(context, request), "planned");
  const holder = await takeHolder(context.root, context.host);
  try {
    const { entries } = await (await context.record()).read();
    requireNoOtherHolder(entries, { holder: holder.id, now: () => context.host.now() });
    const proposed = await proposedPlan(context, request);
    const { plan: made, opened, sealed } = proposed;
    if (opened.length === 0) return unsent(proposed, "nothing");
    const needs = request.allowReplace ? made.needs.filter(({ consent }) => consent !== "allow-replace") : made.needs;
    await requireConfirmation({ plan: made, needs }, confirm);
    const confirmed = new Set(made.needs.map(needKey));
    const results = await carryOutAll(context, opened, { holder, signal, confirmed, sealed, allowReplace });
    return {
      outcome: runOutcome(results),
      migrations: results,
      target: made.target,
      record: made.record,
      plan: made,
    };
  } finally {
    await holder.release();
  }
}

type Proposed = { plan: MigrationsPlan; opened: OpenedMigration[]; sealed: SealedMigrations | undefined };

async function proposedPlan(context: MigrationsContext, request: RunRequest): Promise<Proposed> {
  const sealed = request.plan === undefined ? undefined : openSealedMigrations(request.plan);
  const to = sealed ? sealed.migrations.at(-1)?.name : request.to;
  const { due, entries } = await findDue(context, { ...request, to });
  if (sealed) requireSameMigrations(sealed, { place: await context.target.key(), entries, due });
  const opened = await openDue(context, due);
  const made = await planDue(context, opened, { entries, ...request });
  for (const { name, plan: planned, continues } of sealed ? made.migrations : [])
    if (planned) requireSameChanges(sealed!, name, planned, continues);
  return { plan: made, opened, sealed };
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

type RunOptions = CarryOutOptions &
  Pick<OpenTransformOptions, "allowReplace"> & {
    confirmed: ReadonlySet<string>;
    sealed: SealedMigrations | undefined;
  };

/** Carries out migrations until one of them is not finished. */
async function carryOutAll(
  context: MigrationsContext,
  opened: readonly OpenedMigration[],
  options: RunOptions,
): Promise<MigrationResult[]> {
  const results: MigrationResult[] = [];
  for (const [index, one] of opened.entries()) {
    const last = results.at(-1);
    if (options.signal.aborted || (last && last.outcome !== "done" && last.outcome !== "elsewhere")) {
      results.push({ name: one.name, outcome: "skipped", left: [], steps: [] });
      continue;
    }
    context.onProgress({ stage: "migrating", name: one.name, number: index + 1, total: opened.length });
    try {
      results.push(await carryOut(context, one, options));
    } finally {
      context.onProgress({ stage: "ended" });
    }
  }
  return results;
}

function carryOut(
  context: MigrationsContext,
  { loaded, name, checksum, entry: before }: OpenedMigration,
  { confirmed, sealed, allowReplace, ...options }: RunOptions,
): Promise<MigrationResult> {
  const { host } = context;
  const entering: Entering = {
    begin(entry, replaced = []) {
      if (entry?.state === "done" || entry?.state === "baseline") return undefined;
      if (entry?.state === "reverting") {
        throw new FormctlError(
          "MIGRATIONS_OUT_OF_STEP",
          `the migration ${name} is partly reverted`,
          "To revert the rest: formctl migrate down",
        );
      }
      return {
        name,
        checksum,
        state: "running",
        startedAt: entry?.startedAt ?? host.now().toISOString(),
        by: options.holder.by,
        steps: entry?.steps ?? [],
        replaced: mergeReplaced(entry?.replaced ?? [], replaced),
      };
    },
    end: (entry) => ({ ...entry, state: "done", endedAt: host.now().toISOString() }),
    hasBegun: ({ steps, replaced }) => steps.length + replaced.length > 0,
  };
  if (isScript(loaded.migration))
    return carryOutScript(context, name, { ...entering, loaded, direction: "run" }, options);
  const check = (plan: Plan) => sealed && requireSameChanges(sealed, name, plan, before !== undefined);
  const open = (wrap: WrapService) =>
    openTransform(context, loaded, { allowReplace, recorded: before?.replaced, wrap });
  return carryOutTransform(context, name, { ...entering, open, confirmed, check }, options);
}

/**
 * Returns what a transform has replaced after all of its attempts. What an earlier attempt has noted is kept, because it
 * may have applied a part since.
 */
function mergeReplaced(before: readonly Replaced[], now: readonly Replaced[]): Replaced[] {
  const keyOf = ({ formId, layoutId }: Replaced) => formId ?? layoutId;
  const known = new Set(before.map(keyOf));
  return [...before, ...now.filter((one) => !known.has(keyOf(one)))];
}

/** Returns the outcome of all migrations together. */
export function runOutcome(results: readonly MigrationResult[]): Exclude<RunOutcome, "nothing" | "planned"> {
  const has = (...outcomes: MigrationResult["outcome"][]) => results.some(({ outcome }) => outcomes.includes(outcome));
  if (results.every(({ outcome }) => outcome === "done" || outcome === "elsewhere")) return "done";
  if (has("interrupted")) return "interrupted";
  if (has("done", "partial")) return "partial";
  return has("unknown") ? "unknown" : "failed";
}
