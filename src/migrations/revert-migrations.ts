/** Implements `Migrations.down`, which reverts migrations, the newest first. */

import { FormctlError } from "../base/error.ts";
import { type Need, type Plan, requireConfirmation } from "../plan/planned.ts";
import { carryOut, type Job, type MigrationResult, scriptWork, transformWork } from "./carry-out.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import type { Acceptances } from "./due.ts";
import { acceptAnswers, foreignAnswers } from "./foreign-answers.ts";
import { type MigrationFile, readMigrationFolder } from "./folder.ts";
import { type Holder, takeHolder } from "./holder.ts";
import type { LeftOut } from "./left-out.ts";
import type { LoadedMigration } from "./loaded.ts";
import { openDown, type OpenDownOptions, type WrapService } from "./open-transform.ts";
import { needKey, needsOf, onCopy, openMigration, type Permissions, unpermitted } from "./plan-migrations.ts";
import { type MigrationEntry, type RecordedStep, type RecordState, stepNames } from "./record.ts";
import { readRecord, runOutcome, type RunOutcome, sameRecordAs } from "./run-migrations.ts";
import { quoted } from "../base/shell-quote.ts";

export type DownRequest = Pick<Acceptances, "allowChanged"> &
  Permissions & {
    /** How many migrations to revert. Default: 1. */
    count?: number | undefined;
    /**
     * Also brings back forms and layouts that were changed after the migration. By default, these resources are left out.
     */
    overwrite?: boolean | undefined;
    /** Returns what would be done, without doing it. */
    dryRun?: boolean | undefined;
    /** If the signal is aborted, the run stops: requests in progress complete. Another `down` does the rest. */
    signal?: AbortSignal | undefined;
    /**
     * Called once before the first write. Not called if nothing has to be done. Returns true to revert and permit
     * `needs`.
     */
    confirm?: ((proposal: DownProposal) => boolean | Promise<boolean>) | undefined;
  };

export type PlannedDown = {
  name: string;
  kind: "transform" | "script";
  /** What the reversal of a transform changes. Absent for a script. */
  plan?: Plan;
  /** The forms and layouts that can't be brought back, and why. */
  left: readonly LeftOut[];
  /** What can't come back, such as cleared values. */
  lost: readonly { address: string; what: string }[];
  /** The steps of the script that its `down` reverses. */
  steps: readonly string[];
  /** The steps of the script whose answers another folder recorded. Their use needs a confirmation. */
  foreignAnswers: readonly RecordedStep[];
  /**
   * Whether the reversal of newer migrations may change the state on which the plan is based. The run may then carry
   * out a different plan.
   */
  isProvisional: boolean;
};

export type DownProposal = { migrations: readonly PlannedDown[]; needs: readonly Need[] };

export type DownResult = {
  outcome: RunOutcome;
  /** The results of the migrations, the newest first. */
  migrations: readonly MigrationResult[];
  planned: readonly PlannedDown[];
  /** The key of the target: see `ProjectTarget.key`. */
  target: string;
  /** Where the record of the target is. */
  record: string;
};

/** An entry to revert. `loaded` is absent if the migration has changed nothing. */
type Reverting = { entry: MigrationEntry; path: string; loaded?: LoadedMigration };

/** Reverts the newest migrations. @throws before the first write: what `Migrations.down` throws */
export async function down(context: MigrationsContext, request: DownRequest): Promise<DownResult> {
  const {
    allowReplace = false,
    overwrite = false,
    dryRun = false,
    signal = new AbortController().signal,
    confirm,
  } = request;
  const target = await context.target.key();
  const record = (await context.record()).where;
  if (dryRun) {
    const { planned } = await proposeDown(context, request);
    const migrations = planned.map(({ name, left, steps }): MigrationResult => ({
      name,
      outcome: "planned",
      left,
      steps,
    }));
    return { outcome: "planned", migrations, planned, target, record };
  }
  const holder = await takeHolder(context, context.host);
  try {
    const { reverting, planned, state } = await proposeDown(context, request, holder);
    if (reverting.length === 0) return { outcome: "nothing", migrations: [], planned, target, record };
    const all = needsOf(planned);
    await requireConfirmation({ migrations: planned, needs: unpermitted(all, request) }, confirm);
    const opened = await context.record();
    for (const { loaded, entry } of reverting) if (loaded) await acceptAnswers(opened, { loaded, entry });
    const confirmed = new Set(all.map(needKey));
    const jobs = reverting.map((one) => jobOf(context, one, { holder, confirmed, allowReplace, overwrite }));
    const migrations = await carryOut(context, jobs, { holder, signal, check: sameRecordAs(state, record) });
    return { outcome: runOutcome(migrations, signal), migrations, planned, target, record };
  } finally {
    await holder.release();
  }
}

/**
 * Chooses the migrations to revert, and plans their reversals. @param holder the holder of this run; undefined for a
 * dry run
 */
async function proposeDown(
  context: MigrationsContext,
  request: DownRequest,
  holder?: Holder,
): Promise<{ reverting: Reverting[]; planned: PlannedDown[]; state: RecordState }> {
  const state = await readRecord(context, holder);
  const reverting = await findReverting(context, state, request);
  return { reverting, planned: await planDowns(context, reverting, request), state };
}

/**
 * Returns the newest migrations, with the scripts that their reversal calls.
 *
 * @throws MIGRATIONS_OUT_OF_STEP if one of the migrations can't be reverted
 */
async function findReverting(
  context: MigrationsContext,
  { entries }: RecordState,
  { count = 1, allowChanged = false }: DownRequest,
): Promise<Reverting[]> {
  const { root, folder } = context;
  const files = await readMigrationFolder({ root, folder });
  const reverting: Reverting[] = [];
  for (const entry of entries.toReversed().slice(0, count)) {
    const file = files.find(({ name }) => name === entry.name);
    const { path } = requireRevertible(entry, file, allowChanged);
    const isEmpty = entry.steps.length === 0 && entry.replaced.length === 0;
    reverting.push({ entry, path, ...(!isEmpty && { loaded: await openReversible(context, entry, path) }) });
  }
  return reverting;
}

/**
 * The record alone reverts nothing: users who may write layouts can change it. So the file is required, as it was when
 * the migration ran.
 */
function requireRevertible(
  { name, state, replaced, checksum }: MigrationEntry,
  file: MigrationFile | undefined,
  allowChanged: boolean,
): MigrationFile {
  if (state === "baseline") {
    const hint = `Remove its file and its entry: formctl migrate repair ${quoted(name)}`;
    throw notRevertible(name, "it was declared as done and never ran", hint);
  }
  const isTransform = replaced.length > 0;
  if (state === "running" && !isTransform)
    throw notRevertible(name, "it was interrupted", "Carry out the rest first: formctl migrate run");
  if (!file) {
    const hint = `Restore the file. To remove only the entry: formctl migrate repair ${quoted(name)} --allow-delete`;
    throw notRevertible(name, "its file is missing", hint);
  }
  if (file.checksum !== checksum && !allowChanged) {
    const hint = "Restore the file. To use the edited file, add --allow-changed.";
    throw notRevertible(name, "its file was edited after it ran", hint);
  }
  return file;
}

/** Executes the file. @throws MIGRATIONS_OUT_OF_STEP for a script without `down`, or if the entry is of another kind */
async function openReversible(
  context: MigrationsContext,
  { name, steps }: MigrationEntry,
  path: string,
): Promise<LoadedMigration> {
  const loaded = await openMigration(context, path);
  const { migration } = loaded;
  if (isScript(migration) !== steps.length > 0) {
    const [is, recorded] = isScript(migration) ? ["script", "transform"] : ["transform", "script"];
    const hint = "Another user may have changed the record. Compare it with the migration.";
    throw notRevertible(name, `it is a ${is}, and the record is that of a ${recorded}`, hint);
  }
  if (!isScript(migration) || "down" in migration) return loaded;
  const hint = "Write another migration that reverses it: formctl migrate new NAME";
  throw notRevertible(name, "it is a script without a function down", hint);
}

function notRevertible(name: string, fact: string, hint: string): FormctlError {
  return new FormctlError("MIGRATIONS_OUT_OF_STEP", `the migration ${name} can't be reverted: ${fact}`, hint);
}

/** Plans reversals. On a copy of a local store, each plan is based on the results of the earlier reversals. */
function planDowns(
  context: MigrationsContext,
  reverting: readonly Reverting[],
  request: DownRequest,
): Promise<PlannedDown[]> {
  const isChained = reverting.length > 1 && context.target.copy !== undefined && context.rehearse !== undefined;
  if (!isChained) return planDownsOn(context, reverting, { ...request, isCopy: false });
  return onCopy(context, (copied) => planDownsOn(copied, reverting, { ...request, isCopy: true }));
}

async function planDownsOn(
  context: MigrationsContext,
  reverting: readonly Reverting[],
  { allowReplace = false, overwrite = false, isCopy }: DownRequest & { isCopy: boolean },
): Promise<PlannedDown[]> {
  const planned: PlannedDown[] = [];
  const changed = new Set<string>();
  let hasScript = false;
  for (const { entry, path, loaded } of reverting) {
    const { name, replaced } = entry;
    if (!loaded) {
      planned.push({ ...NOTHING, name, kind: "transform" });
      continue;
    }
    if (isScript(loaded.migration)) {
      hasScript = true;
      const foreign = await foreignAnswers(await context.record(), { loaded, entry });
      planned.push({ ...NOTHING, name, kind: "script", steps: stepNames(entry.steps), foreignAnswers: foreign });
      continue;
    }
    const project = openDown(context, loaded, { path, replaced, allowReplace, overwrite });
    const { plan } = await project.plan({ rehearse: isCopy });
    const isProvisional = hasScript || (!isCopy && replaced.some(({ address }) => changed.has(address)));
    // Two migrations may have changed one resource. The plan for the older migration then leaves the resource out as
    // changed. But the newer migration will be reverted first, so this resource is not reported.
    const left = project.left().filter(({ address }) => isCopy || !changed.has(address));
    for (const { address } of replaced) changed.add(address);
    planned.push({ ...NOTHING, name, kind: "transform", plan, left, lost: project.lost(), isProvisional });
  }
  return planned;
}

const NOTHING = { left: [], lost: [], steps: [], foreignAnswers: [], isProvisional: false };

type JobOptions = Pick<OpenDownOptions, "allowReplace" | "overwrite"> & {
  holder: Holder;
  confirmed: ReadonlySet<string>;
};

function jobOf(
  context: MigrationsContext,
  { entry: { name, replaced }, path, loaded }: Reverting,
  { holder, confirmed, allowReplace, overwrite }: JobOptions,
): Job {
  return {
    name,
    begin(entry) {
      // `carryOut` has checked that the record is unchanged since the entries were chosen.
      if (!entry) throw new TypeError(`the migration ${name} has no entry`);
      return { ...entry, state: "reverting", by: holder.by };
    },
    end: () => undefined,
    hasBegun: ({ state }) => state === "reverting",
    async work(attempt) {
      if (!loaded) return { isDone: true };
      if (isScript(loaded.migration)) return scriptWork(context, loaded, "down", attempt);
      const open = (wrap: WrapService) => openDown(context, loaded, { path, replaced, allowReplace, overwrite, wrap });
      return transformWork({ open, confirmed }, attempt);
    },
  };
}
