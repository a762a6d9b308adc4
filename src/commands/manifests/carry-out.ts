/** Carries out a plan: on record, with its progress told, and what it has made kept in the lock. */

import { applyPlan } from "../../manifests/apply/apply.ts";
import { type ApplyReport, type DoneBefore, leftOf } from "../../manifests/apply/outcome.ts";
import type { Runs } from "../../manifests/apply/journal.ts";
import type { Lock } from "../../manifests/lock.ts";
import type { Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import { keepInLock } from "./keep-in-lock.ts";
import { keepOrWarn } from "./keep-or-warn.ts";

export type Undertaking = {
  plan: Plan;
  /** The plan's digest, by which its record is found again. */
  digest: string;
  place: string;
  service: Service;
  lock: Lock;
  runs: Runs;
  before?: DoneBefore;
  concurrency: number;
  strict: boolean;
};

export async function carryOut(context: CommandContext, undertaking: Undertaking): Promise<ApplyReport> {
  const { plan, digest, place, service, lock, runs, before, concurrency, strict } = undertaking;
  const now = () => context.now();
  const journal = await runs.begin({ at: now(), plan: digest, place });
  const told = tellProgress(context.terminal, leftOf(plan, before).steps);
  try {
    const report = await applyPlan(plan, {
      service,
      journal,
      ...(before && { before }),
      concurrency,
      strict,
      now,
      sleep: (milliseconds, ending) => context.sleep(milliseconds, ending),
      ending: context.ending,
      onStep: (resource, { request }, outcome) => {
        if (outcome !== "begun") told.step(resource, request.operation, outcome.status);
      },
      onWait: (until, isAsked) => told.wait(until, isAsked),
    });
    await conclude(report);
    return report;
  } finally {
    told.stop();
    await journal.close();
  }

  /** What was done is told in any case. Where it can't be kept, the record has no end, and the next run takes it from there. */
  async function conclude(report: ApplyReport): Promise<void> {
    const { outcomes, conflicts } = report;
    const done = outcomes.filter(({ status }) => status === "done").length;
    const isWhole = done === outcomes.length && conflicts.size === 0;
    const outcome = isWhole ? "done" : done > 0 ? "partial" : "failed";
    const { unwritable } = report;
    const keep = (how: () => Promise<void>) => keepOrWarn(context, "what was done is not kept in .formctl", how);
    if (unwritable) await keep(() => Promise.reject(unwritable));
    await keep(async () => {
      await keepInLock(plan, report, lock);
      // Without its end the next run takes it up.
      if (!unwritable) await journal.write({ event: "end", at: now().toISOString(), outcome });
    });
  }
}

/** A bar on a terminal; in a log a line for each step. */
function tellProgress(terminal: Terminal, total: number) {
  const label = "applying";
  const bar = terminal.errIsTTY ? startProgress(terminal, { label, total }) : undefined;
  let ended = 0;
  return {
    step({ address }: PlannedResource, operation: string, status: string) {
      ended++;
      if (bar) bar.update(ended, `${operation} ${address}`);
      else terminal.hint(`${ended}/${total} ${status} ${operation} ${visible(address)}`);
    },
    wait(until: Date, isAsked: boolean) {
      const why = isAsked ? "as the server asks" : "because the server takes no more now (429)";
      const words = `waiting until ${until.toISOString()}, ${why}`;
      if (bar) bar.update(ended, words);
      else terminal.hint(words);
    },
    stop: () => bar?.stop(),
  };
}
