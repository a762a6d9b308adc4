/**
 * Carries out one migration, or reverts it: takes its entry in the record, does the work, and writes the state that the
 * work leaves. An entry whose work is not finished stays in the record, so that the next run does the rest.
 */

import type { Plan } from "../manifests/plan/planned.ts";
import type { ApplyResult } from "../manifests/project/apply-result.ts";
import { requireNoNeeds } from "../manifests/project/apply.ts";
import type { Project } from "../manifests/project/project.ts";
import type { Service } from "../service.ts";
import type { MigrationsContext } from "./context.ts";
import { guardWrites, type SentWrites } from "./guarded-service.ts";
import { type Hold, takeMigration } from "./hold.ts";
import type { Holder } from "./holder.ts";
import type { LeftOut } from "./left-out.ts";
import type { LoadedMigration } from "./loaded.ts";
import { needKey } from "./plan-migrations.ts";
import type { MigrationEntry, Replaced } from "./record.ts";
import { runScript } from "./script.ts";

/**
 * - done: everything is done, and the record states it
 * - elsewhere: another run has done it in the meantime
 * - partial: a part is done; the next run does the rest
 * - unknown: nothing is known to be done, but a write without an answer may be
 * - failed: nothing was done, and the record is as before
 * - interrupted: a signal ended the work
 * - skipped: a migration before it is not finished
 * - planned: a dry run
 */
export type MigrationOutcome =
  | "done"
  | "elsewhere"
  | "partial"
  | "unknown"
  | "failed"
  | "interrupted"
  | "skipped"
  | "planned";

export type MigrationResult = {
  name: string;
  outcome: MigrationOutcome;
  /** What a transform did, or its reversal. Absent for a script, and if nothing was sent. */
  applied?: ApplyResult;
  /** The forms and layouts that a transform left out, and why. */
  left: readonly LeftOut[];
  /** The names of the steps of a script that are done. */
  steps: readonly string[];
  /** Why the migration is not done. Absent if `applied` or `left` shows it. */
  error?: unknown;
};

export type CarryOutOptions = {
  holder: Holder;
  /** Aborted by a signal: requests in progress complete, and no others start. */
  signal: AbortSignal;
};

/** How the entry of a migration changes when work on it begins and ends. */
export type Entering = {
  /**
   * Returns the entry while the work is in progress. Undefined if there is nothing to do, because another run has done
   * it.
   *
   * @param entry the current entry of the migration
   * @param replaced what a transform is going to replace
   */
  begin(
    entry: MigrationEntry | undefined,
    replaced?: readonly Replaced[],
  ): Omit<MigrationEntry, "holder" | "heldUntil"> | undefined;
  /** Returns the entry after the work. Undefined removes it. */
  end(entry: MigrationEntry): MigrationEntry | undefined;
  /** Whether the current entry belongs to work that has begun. */
  hasBegun(entry: MigrationEntry): boolean;
};

/** One attempt to carry out a migration: its entry, and the writes that it sends. */
type Attempt = {
  /** The entry that this run holds. Undefined before `begin`, and if another run has done the work. */
  hold(): Hold | undefined;
  isElsewhere(): boolean;
  /** @throws MIGRATION_IN_PROGRESS if this run no longer holds the migration; the reason of the signal, if aborted */
  requireHold(): Promise<void>;
  /** Wraps the service, so that it writes only while this run holds the migration. */
  guard(service: Service): Service;
  /** Takes the entry. @returns whether this run has to do the work @throws MIGRATION_IN_PROGRESS */
  begin(replaced?: readonly Replaced[]): Promise<boolean>;
  /** Records the end of the work. @throws what the record throws; the entry then keeps its lease */
  end(isDone: boolean): Promise<void>;
  /** Returns the outcome of work that did not finish. */
  unfinished(): MigrationOutcome;
};

function openAttempt(
  { host, record }: MigrationsContext,
  name: string,
  { entering, holder, signal }: CarryOutOptions & { entering: Entering },
): Attempt {
  const sent: SentWrites = { accepted: 0, unknown: 0 };
  let hold: Hold | undefined;
  let isElsewhere = false;
  /** The entry before this attempt. */
  let former: MigrationEntry | undefined;
  const hadBegun = () => former !== undefined && entering.hasBegun(former);
  const hasEffects = () => sent.accepted + sent.unknown > 0 || hadBegun();
  const requireHold = async () => {
    if (signal.aborted) throw signal.reason;
    await hold?.ensure();
  };
  return {
    hold: () => hold,
    isElsewhere: () => isElsewhere,
    requireHold,
    guard: (service) => guardWrites(service, requireHold, sent),
    async begin(replaced) {
      const options = { record: await record(), holder: holder.id, now: () => host.now() };
      hold = await takeMigration(options, ({ entries }) => {
        former = entries.find((entry) => entry.name === name);
        return entering.begin(former, replaced);
      });
      isElsewhere = !hold;
      return !isElsewhere;
    },
    async end(isDone) {
      // If nothing was done, the record is as before.
      await hold?.end(isDone ? entering.end : (entry) => (hasEffects() ? entry : former));
    },
    unfinished() {
      if (signal.aborted) return "interrupted";
      if (!hasEffects()) return "failed";
      return sent.accepted === 0 && !hadBegun() ? "unknown" : "partial";
    },
  };
}

export type TransformWork = {
  /** Opens the project whose plan is the work. */
  open: (guard: (service: Service) => Service) => Project & {
    left(): readonly LeftOut[];
    /** Absent for a reversal. */
    replaced?: (plan: Plan) => Promise<readonly Replaced[]>;
  };
  /** The losses that the user has confirmed, as `needKey` returns them. */
  confirmed: ReadonlySet<string>;
  /** Called with the plan before its first write. Throws if it must not be carried out. */
  check?: (plan: Plan) => void;
};

/** Carries out a transform, or brings back what it replaced. Failures are in the result. */
export async function carryOutTransform(
  context: MigrationsContext,
  name: string,
  { open, confirmed, check, ...entering }: TransformWork & Entering,
  options: CarryOutOptions,
): Promise<MigrationResult> {
  const attempt = openAttempt(context, name, { ...options, entering });
  const project = open((service) => attempt.guard(service));
  const result = { name, left: [], steps: [] };
  try {
    const applied = await project.apply({
      signal: options.signal,
      async confirm({ plan, needs }) {
        requireNoNeeds(needs.filter((need) => !confirmed.has(needKey(need))));
        check?.(plan);
        return attempt.begin(await project.replaced?.(plan));
      },
    });
    const left = project.left();
    // Without changes, `confirm` is not called.
    if (!attempt.hold() && !(await attempt.begin())) return { ...result, outcome: "elsewhere", left };
    const isApplied = applied.outcome === "applied" || applied.outcome === "unchanged";
    const isDone = isApplied && !left.some(({ isMeant }) => isMeant);
    await attempt.end(isDone);
    const outcome = isDone ? "done" : isApplied ? "partial" : attempt.unfinished();
    return { ...result, outcome, applied, left };
  } catch (error) {
    if (attempt.isElsewhere()) return { ...result, outcome: "elsewhere" };
    return { ...result, ...(await failed(attempt, error)) };
  }
}

export type ScriptWork = { loaded: LoadedMigration; direction: "run" | "down" };

/** Carries out a script, or its `down`. Failures are in the result. */
export async function carryOutScript(
  context: MigrationsContext,
  name: string,
  { loaded, direction, ...entering }: ScriptWork & Entering,
  options: CarryOutOptions,
): Promise<MigrationResult> {
  const attempt = openAttempt(context, name, { ...options, entering });
  const member = direction === "run" ? "steps" : "downSteps";
  const steps = () =>
    attempt
      .hold()
      ?.entry()
      [member]?.map((step) => step.name) ?? [];
  const result = { name, left: [] };
  try {
    if (!(await attempt.begin())) return { ...result, outcome: "elsewhere", steps: [] };
    const { startedAt, steps: runSteps, [member]: recorded = [] } = attempt.hold()!.entry();
    await runScript({
      loaded,
      direction,
      service: attempt.guard(await context.target.service()),
      // The same for every attempt to finish this work, and another one when a reverted migration runs again.
      seed: JSON.stringify([name, startedAt, member]),
      recorded,
      runSteps,
      now: () => context.host.now(),
      beforeWrite: () => attempt.requireHold(),
      async onStep(step) {
        await attempt.hold()!.update((entry) => ({ ...entry, [member]: [...(entry[member] ?? []), step] }));
        context.onProgress({ stage: "step", migration: name, step: step.name });
      },
    });
    await attempt.end(true);
    return { ...result, outcome: "done", steps: steps() };
  } catch (error) {
    return { ...result, ...(await failed(attempt, error)), steps: steps() };
  }
}

async function failed(attempt: Attempt, error: unknown): Promise<{ outcome: MigrationOutcome; error: unknown }> {
  const outcome = attempt.unfinished();
  // If the record can't be written either, the entry keeps its lease: it can be continued when the lease has ended.
  await attempt.end(false).catch(() => undefined);
  return { outcome, error };
}
