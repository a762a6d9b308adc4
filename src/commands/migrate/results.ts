/** Prints the results of runs and reversals of migrations, as text and as documents. Finds the exit code. */

import { LocatedError } from "../../documents/located-error.ts";
import { EXIT_OF_SIGNAL } from "../../base/exit-codes.ts";
import type { MigrationResult } from "../../migrations/carry-out.ts";
import type { RunOutcome } from "../../migrations/run-migrations.ts";
import { plural } from "../../base/plural.ts";
import type { Sources } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import { endSignalOf } from "../../terminal/interrupted.ts";
import { wrapped } from "../../terminal/message.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import type { Failure } from "../failure.ts";
import { type Applied, appliedDocument } from "../manifests/apply-document.ts";
import { printProblems } from "../manifests/apply-view.ts";
import { failureText } from "../print-failure.ts";

export type ResultDocument = Omit<MigrationResult, "applied" | "error"> & {
  /** The result of a transform or of its reversal, as `formctl apply` reports it. */
  applied?: Applied;
  error?: Failure;
};

export type Results = {
  exitCode: number;
  /** The key of the target. */
  target: string;
  /** The location of the record of migrations, in words. */
  record: string;
  outcome: RunOutcome;
  migrations: ResultDocument[];
};

/** The result of `Migrations.run` or `down`. */
type Ran = { outcome: RunOutcome; migrations: readonly MigrationResult[]; target: string; record: string };

export async function resultsDocument(context: CommandContext, ran: Ran): Promise<Results> {
  const migrations = await Promise.all(
    ran.migrations.map(async ({ applied, error, ...result }): Promise<ResultDocument> => ({
      ...result,
      ...(applied && { applied: await appliedDocument(context, applied) }),
      ...(error !== undefined && { error: await context.describe(error) }),
    })),
  );
  const { outcome, target, record } = ran;
  return { exitCode: exitCodeOf(outcome, migrations, context.ending), target, record, outcome, migrations };
}

/**
 * Returns the exit code of the signal that ended the command. Without a signal:
 * - 0 if everything is done, nothing was due, or the run was a dry run
 * - 9 if only a part is done or the run was interrupted
 * - 7 if the outcome of a write is unknown
 * - otherwise the exit code of the first failure
 */
function exitCodeOf(outcome: RunOutcome, migrations: readonly ResultDocument[], ending: AbortSignal): number {
  if (ending.aborted) return EXIT_OF_SIGNAL[endSignalOf(ending)];
  if (outcome === "nothing" || outcome === "planned" || outcome === "done") return 0;
  if (outcome === "partial" || outcome === "interrupted") return 9;
  if (outcome === "unknown") return 7;
  const failed = migrations.find((one) => one.outcome === "failed");
  // A failure never has exit code 0.
  return failed?.error?.exitCode ?? (failed?.applied?.exitCode || 1);
}

/** Returns the texts of the files that the errors mention. */
export function textsOf(errors: readonly unknown[]): Sources {
  const located = errors.filter((error) => error instanceof LocatedError);
  return new Map(located.flatMap(({ sources }) => [...sources]));
}

/** Prints the failure of a migration on stderr. */
export function printFailureOf(name: string, failure: Failure, sources: Sources, terminal: Terminal): void {
  const { errStyle: style, errWidth: width } = terminal;
  terminal.err(wrapped(`${style.bold("In the migration")} ${visible(name)}:`, width));
  terminal.err(failureText(failure, { style, width, sources, confirmation }));
}

/** Prints the failures and what was left out on stderr. */
export function printFailures({ migrations }: Results, ran: Ran, terminal: Terminal): void {
  const sources = textsOf(ran.migrations.map(({ error }) => error));
  for (const { name, applied, error, left, outcome } of migrations) {
    if (applied) printProblems(applied, sources, terminal);
    if (error) printFailureOf(name, error, sources, terminal);
    for (const { address, reason, hint, isMeant } of outcome === "planned" ? [] : left) {
      const line = `${visible(name)}: ${visible(address)} is left out: ${visible(reason)}`;
      if (isMeant) terminal.warn(line);
      else terminal.hint(line);
      if (hint !== undefined) terminal.hint(visible(hint));
    }
  }
}

/** Prints a line for each migration on stdout. */
export function printOutcomes({ migrations }: Results, terminal: Terminal): void {
  for (const { name, outcome, steps, applied } of migrations) {
    const facts = [
      ...(applied ? [countsText(applied)] : []),
      ...(steps.length > 0 ? [`${plural(steps.length, "step")} done`] : []),
    ];
    const about = facts.length === 0 ? "" : `: ${facts.join(", ")}`;
    terminal.line(`${WORDS[outcome]} ${visible(name)}${about}`);
  }
}

const confirmation = (draftId: string) => `confirmFieldChanges: ["${draftId}"]`;

const WORDS: Record<MigrationResult["outcome"], string> = {
  done: "done       ",
  partial: "partly done",
  unknown: "unknown    ",
  failed: "failed     ",
  interrupted: "interrupted",
  skipped: "not begun  ",
  planned: "planned    ",
};

function countsText({ summary: { resources } }: Applied): string {
  const { updated, created, deleted, unfinished, unchanged } = resources;
  const counts = { created, updated, deleted, "not finished": unfinished };
  const words = Object.entries(counts).flatMap(([word, number]) => (number > 0 ? [`${number} ${word}`] : []));
  return words.length === 0 ? `${plural(unchanged, "resource")} in sync` : words.join(", ");
}
