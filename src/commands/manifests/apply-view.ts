/** What came of an apply, told to a person: every failure where it belongs, then the counts. */

import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { failureText } from "../print-failure.ts";
import type { Applied, AppliedResource } from "./applied.ts";

export type ApplyView = {
  /** The place in words. */
  where: string;
  sources: Sources;
  terminal: Terminal;
};

export function printApplied(applied: Applied, { where, sources, terminal }: ApplyView): void {
  const { outcome, summary, problems, notRun } = applied;
  terminal.err(renderDiagnostics(problems, sources, terminal.errStyle));
  for (const check of notRun) terminal.hint(`Not checked: ${check}.`);
  for (const resource of applied.resources) printFailures(resource, sources, terminal);
  const { created, updated, deleted, unchanged, unfinished } = summary.resources;
  const place = visible(where);
  if (outcome === "unchanged") {
    terminal.out(`Nothing to do: ${place} is as the manifests say (${counted(unchanged, "resource")}).\n`);
    return;
  }
  const counts = [
    [created, "created"],
    [updated, "updated"],
    [deleted, "deleted"],
    [unchanged, "unchanged"],
    [unfinished, "not finished"],
  ] as const;
  const words = counts.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : [])).join(", ");
  const begin = {
    planned: "Nothing was changed. To be done in",
    applied: "Applied to",
    partial: "Partly applied to",
    unknown: "Not known whether anything was applied to",
    failed: "Not applied to",
    interrupted: "Interrupted. Applied so far to",
  }[outcome];
  terminal.out(`${begin} ${place}: ${words}.\n`);
}

function printFailures({ address, steps }: AppliedResource, sources: Sources, terminal: Terminal): void {
  const { errStyle: style } = terminal;
  for (const { operation, status, error, unconfirmed } of steps) {
    if (unconfirmed !== undefined) terminal.warn(`${visible(address)}: ${operation}: ${visible(unconfirmed)}`);
    if (!error) continue;
    const words = status === "unknown" ? "may have been done or not" : "failed";
    terminal.err(`${style.bold("In")} ${visible(address)}: ${operation} ${words}\n`);
    const confirmation = (draftId: string) => `confirmFieldChanges: [${draftId}]`;
    terminal.err(failureText(error, { style, sources, confirmation }));
  }
  const skipped = steps.filter((step) => step.status === "skipped");
  const [first] = skipped;
  if (first?.reason !== undefined)
    terminal.hint(
      `Not begun for ${visible(address)}: ${skipped.map((step) => step.operation).join(", ")} (${visible(first.reason)})`,
    );
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
