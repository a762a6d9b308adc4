/** Plans the due migrations: what each transform changes, and which scripts run. */

import { randomUUID } from "node:crypto";
import { relative } from "node:path";
import type { LocalService } from "../local-service.ts";
import type { Need, Plan } from "../plan/planned.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { OperationName } from "../schemas/operations.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import type { DueMigration } from "./due.ts";
import { isCode, loadMigration } from "./load.ts";
import type { LoadedMigration } from "./loaded.ts";
import type { LeftOut } from "./left-out.ts";
import { answerNeeds, foreignAnswers } from "./foreign-answers.ts";
import { openTransform } from "./open-transform.ts";
import { type RecordedStep, stepNames } from "./record.ts";
import { runScript } from "./script.ts";

/** A due migration whose file was executed. */
export type OpenedMigration = DueMigration & { loaded: LoadedMigration };

/** A due migration to plan. `loaded` is absent if the file is code that was not executed. */
export type PlannableMigration = DueMigration & { loaded?: LoadedMigration };

export type PlannedMigration = {
  name: string;
  /** `code`: the file was not executed, so its changes are unknown. */
  kind: "transform" | "script" | "code";
  /** The absolute path of the file. */
  path: string;
  checksum: string;
  /** Whether an earlier run was interrupted. This run does the rest. */
  continues: boolean;
  /** What a transform changes. Absent for a script. */
  plan?: Plan;
  /** Warnings about the contents that a transform returns. */
  problems: readonly Located[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
  /** The forms and layouts that a transform leaves out, and why. */
  left: readonly LeftOut[];
  /**
   * Whether earlier migrations may change the state on which the plan is based. The run may then carry out a different
   * plan.
   */
  isProvisional: boolean;
  /** The steps of a script in YAML that are left, in the order of the file. Absent if the script was rehearsed. */
  listedSteps?: readonly RehearsedWrite[];
  /** The steps of a script that an earlier run did. */
  doneSteps: readonly string[];
  /** The done steps of a script whose answers another folder recorded. Their use needs a confirmation. */
  foreignAnswers: readonly RecordedStep[];
  /** What happened to a transform on a copy of the target. Absent if the transform was not rehearsed. */
  rehearsal?: Rehearsal;
  /** What happened to a script on a copy of the target. Absent if the script was not rehearsed. */
  rehearsed?: RehearsedScript;
};

export type RehearsedWrite = { step: string; operation: OperationName };

/** The writes of a script on a copy, and the error that ended the script. */
export type RehearsedScript = { writes: readonly RehearsedWrite[]; failure?: unknown };

/** Executes the files. @throws MIGRATION_INVALID and MIGRATION_FAILED, located in the file */
export async function openDue(context: MigrationsContext, due: readonly DueMigration[]): Promise<OpenedMigration[]> {
  const opened: OpenedMigration[] = [];
  // Files are executed one after the other, so that their output is in the order of the files.
  for (const one of due) opened.push({ ...one, loaded: await openMigration(context, one.path) });
  return opened;
}

/** Reads the files in YAML. Executes no code. @throws MIGRATION_INVALID, located in the file */
export async function openWithoutCode(
  context: MigrationsContext,
  due: readonly DueMigration[],
): Promise<PlannableMigration[]> {
  const open = async (one: DueMigration) =>
    isCode(one.path) ? one : { ...one, loaded: await openMigration(context, one.path) };
  return Promise.all(due.map(open));
}

/** Executes one file. @throws what `openDue` throws */
export function openMigration(
  { cwd, library, print }: Pick<MigrationsContext, "cwd" | "library" | "print">,
  path: string,
): Promise<LoadedMigration> {
  return loadMigration({ path, file: relative(cwd, path), library, print });
}

/** Plans migrations without changing the target. */
export async function planMigrations(
  context: MigrationsContext,
  opened: readonly PlannableMigration[],
  { allowReplace, rehearse }: { allowReplace: boolean; rehearse: boolean },
): Promise<PlannedMigration[]> {
  if (!rehearse || !context.target.copy) return planOn(context, opened, { allowReplace, rehearse, isCopy: false });
  return onCopy(context, (copied) => planOn(copied, opened, { allowReplace, rehearse, isCopy: true }));
}

/**
 * Calls `work` with a copy of the target. A rehearsal in `work` changes this copy, and not a copy of the copy. So the
 * next plan is based on the result of the rehearsal.
 *
 * @param context its target can be copied
 */
export async function onCopy<T>(
  context: MigrationsContext,
  work: (copied: MigrationsContext) => Promise<T>,
): Promise<T> {
  const { target } = context;
  if (!target.copy) throw new TypeError("the target can't be copied");
  const copy = await target.copy();
  const shared = Object.assign(Object.create(copy) as LocalService, { close: async () => undefined });
  const service = () => copy.service(target.organizationKey);
  try {
    return await work({ ...context, target: { ...target, service, copy: async () => shared } });
  } finally {
    await copy.close();
  }
}

type PlanOptions = {
  allowReplace: boolean;
  rehearse: boolean;
  /** Whether the target is a copy, which rehearsals change. */
  isCopy: boolean;
};

async function planOn(
  context: MigrationsContext,
  opened: readonly PlannableMigration[],
  { allowReplace, rehearse, isCopy }: PlanOptions,
): Promise<PlannedMigration[]> {
  const planned: PlannedMigration[] = [];
  const changed = new Set<string>();
  /**
   * Whether effects of earlier migrations are unknown. True after a script that was not executed on a copy, after code
   * that was not executed, and after a failed migration.
   */
  let isUncertain = false;
  for (const { loaded, name, path, checksum, entry } of opened) {
    const common = { name, path, checksum, continues: entry !== undefined };
    if (!loaded) {
      isUncertain = true;
      planned.push({ ...common, ...NO_CHANGES, kind: "code" });
      continue;
    }
    if (isScript(loaded.migration)) {
      const recorded = entry?.steps ?? [];
      const rehearsed: RehearsedScript | undefined =
        isCopy && !isUncertain ? await rehearseScript(context, loaded, recorded) : undefined;
      isUncertain ||= !rehearsed || rehearsed.failure !== undefined;
      const doneSteps = stepNames(recorded);
      const listedSteps = rehearsed ? undefined : loaded.listedSteps?.filter(({ step }) => !doneSteps.includes(step));
      const foreign = await foreignAnswers(await context.record(), { loaded, entry });
      planned.push({
        ...common,
        ...NO_CHANGES,
        kind: "script",
        doneSteps,
        foreignAnswers: foreign,
        ...(rehearsed && { rehearsed }),
        ...(listedSteps && { listedSteps }),
      });
      continue;
    }
    const project = openTransform(context, loaded, { allowReplace, recorded: entry?.replaced ?? [] });
    const { plan, problems, sources, rehearsal } = await project.plan({ rehearse });
    const addresses = plan.resources.filter(({ action }) => action !== "none").map(({ address }) => address);
    const isProvisional = isUncertain || (!isCopy && addresses.some((address) => changed.has(address)));
    for (const address of addresses) changed.add(address);
    isUncertain ||= rehearsal?.refusals.some(({ isCertain }) => isCertain) ?? false;
    const transformed = { plan, problems, sources, left: project.left(), isProvisional };
    planned.push({ ...common, ...NO_CHANGES, ...transformed, kind: "transform", ...(rehearsal && { rehearsal }) });
  }
  return planned;
}

const NO_CHANGES = {
  problems: [],
  sources: new Map<string, string>(),
  left: [],
  isProvisional: false,
  doneSteps: [],
  foreignAnswers: [],
};

/** Runs a script on a copied target, and returns the writes of the script. */
async function rehearseScript(
  { target, host }: MigrationsContext,
  loaded: LoadedMigration,
  recorded: readonly RecordedStep[],
): Promise<RehearsedScript> {
  const writes: RehearsedWrite[] = [];
  const options = { loaded, direction: "run", seed: randomUUID(), recorded } as const;
  try {
    await runScript({
      ...options,
      service: await target.service(),
      now: () => host.now(),
      onStep: async () => undefined,
      beforeWrite: async ({ step, operation }) => void writes.push({ step, operation }),
    });
    return { writes };
  } catch (failure) {
    return { writes, failure };
  }
}

/** Which needs the user permits in advance. */
export type Permissions = {
  /** Permits overwriting drafts of other users. Otherwise layouts with such a draft are left out. */
  allowReplace?: boolean | undefined;
  /** Permits that scripts use the answers that another folder recorded for their steps. */
  allowAnswers?: boolean | undefined;
};

/** Returns the losses that need a confirmation of their own, each once. */
export function needsOf(planned: readonly Pick<PlannedMigration, "name" | "plan" | "foreignAnswers">[]): Need[] {
  const needs = planned.flatMap((one) => [
    ...answerNeeds(one.name, one.foreignAnswers),
    ...(one.plan?.resources.flatMap((resource) => resource.needs) ?? []),
  ]);
  return [...new Map(needs.map((need) => [needKey(need), need])).values()];
}

/** Returns the needs that the request does not permit. */
export function unpermitted(needs: readonly Need[], { allowReplace, allowAnswers }: Permissions): Need[] {
  const permitted = [allowReplace && "allow-replace", allowAnswers && "allow-answers"];
  return needs.filter(({ consent }) => !permitted.includes(consent));
}

/** Returns a text that identifies a need. Confirmed needs are compared by this text. */
export function needKey({ consent, what, lost }: Need): string {
  return JSON.stringify([consent, what, lost]);
}
