/** Plans the due migrations: what each transform changes, and which scripts run. */

import { relative } from "node:path";
import type { Need, Plan } from "../manifests/plan/planned.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript } from "./definition.ts";
import type { DueMigration } from "./due.ts";
import { loadMigration } from "./load.ts";
import type { LoadedMigration } from "./loaded.ts";
import type { LeftOut } from "./left-out.ts";
import { openTransform, type OpenTransformOptions } from "./open-transform.ts";

/** A due migration whose file was executed. */
export type OpenedMigration = DueMigration & { loaded: LoadedMigration };

export type PlannedMigration = {
  name: string;
  kind: "transform" | "script";
  /** The absolute path of the file. */
  path: string;
  checksum: string;
  /** Whether an earlier run was interrupted. This run does the rest. */
  continues: boolean;
  /** What a transform changes. Absent for a script. */
  plan?: Plan;
  /** Warnings about the contents that a transform returns. */
  problems: readonly Located[];
  /** The forms and layouts that a transform leaves out, and why. */
  left: readonly LeftOut[];
  /**
   * Whether the plan is compared with a state that migrations before this one change: it may differ when it is carried
   * out.
   */
  isProvisional: boolean;
  /** The steps of a script that an earlier run did. */
  doneSteps: readonly string[];
};

/** Executes the files. @throws MIGRATION_INVALID and MIGRATION_FAILED, located in the file */
export async function openDue(context: MigrationsContext, due: readonly DueMigration[]): Promise<OpenedMigration[]> {
  const opened: OpenedMigration[] = [];
  // One after the other, so that their output is in order.
  for (const one of due) opened.push({ ...one, loaded: await openMigration(context, one.path) });
  return opened;
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
  opened: readonly OpenedMigration[],
  { allowReplace }: Pick<OpenTransformOptions, "allowReplace">,
): Promise<PlannedMigration[]> {
  const planned: PlannedMigration[] = [];
  const changed = new Set<string>();
  let hasScript = false;
  for (const { loaded, name, path, checksum, entry } of opened) {
    const common = { name, path, checksum, continues: entry !== undefined };
    if (isScript(loaded.migration)) {
      hasScript = true;
      const doneSteps = entry?.steps.map((step) => step.name) ?? [];
      planned.push({ ...common, kind: "script", problems: [], left: [], isProvisional: false, doneSteps });
      continue;
    }
    const project = openTransform(context, loaded, { allowReplace, recorded: entry?.replaced ?? [] });
    const { plan, problems } = await project.plan();
    const addresses = plan.resources.filter(({ action }) => action !== "none").map(({ address }) => address);
    const isProvisional = hasScript || addresses.some((address) => changed.has(address));
    for (const address of addresses) changed.add(address);
    planned.push({ ...common, kind: "transform", plan, problems, left: project.left(), isProvisional, doneSteps: [] });
  }
  return planned;
}

/** Returns the losses that need a confirmation of their own. */
export function needsOf(planned: readonly Pick<PlannedMigration, "plan">[]): Need[] {
  const needs = planned.flatMap(({ plan }) => plan?.resources.flatMap((resource) => resource.needs) ?? []);
  return [...new Map(needs.map((need) => [needKey(need), need])).values()];
}

/** Identifies a need, to recognize one that was confirmed. */
export function needKey({ consent, what, lost }: Need): string {
  return JSON.stringify([consent, what, lost]);
}
