/** Implements `Migrations.down`, which reverts migrations, the newest first. */

import { join } from "node:path";
import { FormctlError } from "../error.ts";
import type { Need, Plan } from "../manifests/plan/planned.ts";
import {
  type CarryOutOptions,
  carryOutScript,
  carryOutTransform,
  type Entering,
  type MigrationResult,
} from "./carry-out.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import type { Acceptances } from "./due.ts";
import { readMigrationFolder } from "./folder.ts";
import { requireNoOtherHolder } from "./hold.ts";
import { takeHolder } from "./holder.ts";
import type { LeftOut } from "./left-out.ts";
import type { LoadedMigration } from "./loaded.ts";
import { openDown } from "./open-transform.ts";
import { needKey, needsOf, openMigration } from "./plan-migrations.ts";
import type { MigrationEntry } from "./record.ts";
import { requireConfirmation, runOutcome, type RunOutcome } from "./run-migrations.ts";

export type DownRequest = Pick<Acceptances, "allowChanged"> & {
  /** How many migrations to revert. Default: 1. */
  count?: number | undefined;
  /** Permits overwriting drafts of other users. */
  allowReplace?: boolean | undefined;
  /** Brings back forms and layouts that were changed after the migration too. Otherwise they are left out. */
  overwrite?: boolean | undefined;
  /** Returns what would be done, without doing it. */
  dryRun?: boolean | undefined;
  /** Stops the run when it is aborted: requests in progress complete. Another `down` does the rest. */
  signal?: AbortSignal | undefined;
  /** Called once before the first write, unless nothing has to be done. Returns true to revert and permit `needs`. */
  confirm?: ((proposal: DownProposal) => boolean | Promise<boolean>) | undefined;
};

type DownChoices = Pick<DownRequest, "allowReplace" | "overwrite">;

/** A migration to revert. */
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
  /** Whether migrations after it change the same forms or layouts: the plan may differ when it is carried out. */
  isProvisional: boolean;
};

export type DownProposal = { migrations: readonly PlannedDown[]; needs: readonly Need[] };

export type DownResult = {
  outcome: RunOutcome;
  /** The results of the migrations, the newest first. */
  migrations: readonly MigrationResult[];
  planned: readonly PlannedDown[];
  /** The key of the target. */
  target: string;
  /** Where the record of the target is. */
  record: string;
};

/** An entry to revert. `script` is the migration if it is a script that has written something. */
type Reverting = { entry: MigrationEntry; path: string; script?: LoadedMigration };

export async function down(context: MigrationsContext, request: DownRequest): Promise<DownResult> {
  const { allowReplace, overwrite, dryRun = false, signal = new AbortController().signal, confirm } = request;
  const target = await context.target.key();
  const record = (await context.record()).where;
  const propose = async () => {
    const reverting = await findReverting(context, request);
    return { reverting, planned: await planDowns(context, reverting, request) };
  };
  if (dryRun) {
    const { planned } = await propose();
    const migrations = planned.map(({ name, left, steps }): MigrationResult => ({
      name,
      outcome: "planned",
      left,
      steps,
    }));
    return { outcome: "planned", migrations, planned, target, record };
  }
  const holder = await takeHolder(context.root, context.host);
  try {
    const { entries } = await (await context.record()).read();
    requireNoOtherHolder(entries, { holder: holder.id, now: () => context.host.now() });
    const { reverting, planned } = await propose();
    if (reverting.length === 0) return { outcome: "nothing", migrations: [], planned, target, record };
    const all = needsOf(planned);
    const needs = request.allowReplace ? all.filter(({ consent }) => consent !== "allow-replace") : all;
    await requireConfirmation({ migrations: planned, needs }, confirm);
    const confirmed = new Set(all.map(needKey));
    const results: MigrationResult[] = [];
    for (const [index, one] of reverting.entries()) {
      const last = results.at(-1);
      if (signal.aborted || (last && last.outcome !== "done" && last.outcome !== "elsewhere")) {
        results.push({ name: one.entry.name, outcome: "skipped", left: [], steps: [] });
        continue;
      }
      context.onProgress({ stage: "migrating", name: one.entry.name, number: index + 1, total: reverting.length });
      results.push(await revert(context, one, { holder, signal, confirmed, allowReplace, overwrite }));
      context.onProgress({ stage: "ended" });
    }
    return { outcome: runOutcome(results), migrations: results, planned, target, record };
  } finally {
    await holder.release();
  }
}

/**
 * Returns the newest migrations, with what their reversal needs.
 *
 * @throws MIGRATIONS_OUT_OF_STEP if one of them can't be reverted
 */
async function findReverting(
  context: MigrationsContext,
  { count = 1, allowChanged = false }: DownRequest,
): Promise<Reverting[]> {
  const { root, folder, record } = context;
  const [files, { entries }] = await Promise.all([
    readMigrationFolder({ root, folder }),
    record().then((opened) => opened.read()),
  ]);
  const chosen = entries.toReversed().slice(0, count);
  const reverting: Reverting[] = [];
  for (const entry of chosen) {
    const { name, state, steps, replaced, checksum } = entry;
    const refuse = (fact: string, hint: string) => {
      throw new FormctlError("MIGRATIONS_OUT_OF_STEP", `the migration ${name} can't be reverted: ${fact}`, hint);
    };
    const file = files.find((one) => one.name === name);
    if (state === "baseline")
      refuse("it was declared as done and never ran", `Remove its entry: formctl migrate repair ${name}`);
    if (state === "running" && replaced.length === 0)
      refuse("it was interrupted", "Carry out the rest first: formctl migrate run");
    // Only a script has steps, and a script without steps has written nothing.
    if (steps.length === 0) {
      reverting.push({ entry, path: file?.path ?? join(folder, name) });
      continue;
    }
    if (!file) refuse("its file is missing", "Restore the file, because a script is reverted by its function down.");
    else {
      if (file.checksum !== checksum && !allowChanged)
        refuse(
          "its file was edited after it ran",
          "Restore the file. To use the edited function down, add --allow-changed.",
        );
      const script = await openMigration(context, file.path);
      const undo = isScript(script.migration) ? script.migration.down : undefined;
      if (!undo)
        refuse(
          "it is a script without a function down",
          "Write another migration that reverses it: formctl migrate new NAME",
        );
      else reverting.push({ entry, path: file.path, script });
    }
  }
  return reverting;
}

async function planDowns(
  context: MigrationsContext,
  reverting: readonly Reverting[],
  { allowReplace, overwrite }: DownChoices,
): Promise<PlannedDown[]> {
  const planned: PlannedDown[] = [];
  const changed = new Set<string>();
  let hasScript = false;
  for (const { entry, path, script } of reverting) {
    const { name, replaced } = entry;
    if (script) {
      hasScript = true;
      const steps = entry.steps.map((step) => step.name);
      planned.push({ name, kind: "script", left: [], lost: [], steps, isProvisional: false });
      continue;
    }
    const project = openDown(context, replaced, { path, allowReplace, overwrite });
    const { plan } = await project.plan();
    const isProvisional = hasScript || replaced.some(({ address }) => changed.has(address));
    for (const { address } of replaced) changed.add(address);
    planned.push({
      name,
      kind: "transform",
      plan,
      left: project.left(),
      lost: project.lost(),
      steps: [],
      isProvisional,
    });
  }
  return planned;
}

function revert(
  context: MigrationsContext,
  { entry: { name, replaced }, path, script }: Reverting,
  {
    confirmed,
    allowReplace,
    overwrite,
    ...options
  }: CarryOutOptions & DownChoices & { confirmed: ReadonlySet<string> },
): Promise<MigrationResult> {
  const entering: Entering = {
    // Without an entry, another run has reverted the migration.
    begin: (entry) => entry && { ...entry, state: "reverting", by: options.holder.by },
    end: () => undefined,
    hasBegun: ({ state }) => state === "reverting",
  };
  if (script) return carryOutScript(context, name, { ...entering, loaded: script, direction: "down" }, options);
  return carryOutTransform(
    context,
    name,
    { ...entering, open: (wrap) => openDown(context, replaced, { path, allowReplace, overwrite, wrap }), confirmed },
    options,
  );
}
