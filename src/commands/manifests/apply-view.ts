/** What came of an apply, told to a person: every failure where it belongs, then the counts. */

import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Failure } from "../failure.ts";
import { failureText } from "../print-failure.ts";
import type { Applied, AppliedResource } from "./apply-document.ts";

export type ApplyView = {
  /** The place in words. */
  where: string;
  sources: Sources;
  /** The server shows all that the manifests are about. */
  isObserved: boolean;
  terminal: Terminal;
};

export function printApplied(applied: Applied, { where, sources, isObserved, terminal }: ApplyView): void {
  const { outcome, summary, problems, notRun, error } = applied;
  terminal.err(renderDiagnostics(problems, sources, terminal.errStyle));
  for (const check of notRun) terminal.hint(`Not checked: ${check}.`);
  for (const resource of applied.resources) printFailures(resource, sources, terminal);
  const waiting = applied.resources.filter((resource) => !hasFailed(resource));
  printNotBegun(waiting, terminal, error?.message);
  const { created, updated, deleted, unchanged, unfinished } = summary.resources;
  const place = visible(where);
  if (outcome === "unchanged") {
    const asSeen = isObserved ? "" : ", as far as it shows";
    terminal.out(`Nothing to do: ${place} is as the manifests say${asSeen} (${counted(unchanged, "resource")}).\n`);
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
  const { steps, doneBefore } = summary;
  const all = steps.done + steps.planned;
  const before = doneBefore > 0 ? ` (${doneBefore} of ${counted(all, "step")} by an earlier run)` : "";
  terminal.out(`${begin} ${place}: ${words}${before}.\n`);
}

function printFailures(resource: AppliedResource, sources: Sources, terminal: Terminal): void {
  const { address, steps, conflict } = resource;
  const { errStyle: style } = terminal;
  const tell = (words: string, failure: Failure) => {
    terminal.err(`${style.bold("In")} ${visible(address)}: ${words}\n`);
    terminal.err(failureText(failure, { style, sources, confirmation }));
  };
  for (const { operation, status, error, unconfirmed } of steps) {
    if (unconfirmed !== undefined) terminal.warn(`${visible(address)}: ${operation}: ${visible(unconfirmed)}`);
    if (error) tell(`${operation} ${status === "unknown" ? "may have been done or not" : "failed"}`, error);
  }
  if (conflict) tell("made, and not gone on with", conflict);
  if (hasFailed(resource)) printNotBegun([resource], terminal);
}

const confirmation = (draftId: string) => `confirmFieldChanges: [${draftId}]`;

/** What was not begun has its reason in the resource itself. */
function hasFailed({ steps, conflict }: AppliedResource): boolean {
  return conflict !== undefined || steps.some(({ error }) => error);
}

/**
 * A reason that many resources share is told once.
 *
 * @param known the reason that has been told
 */
function printNotBegun(resources: readonly AppliedResource[], terminal: Terminal, known?: string): void {
  const skipped = resources.flatMap(({ address, steps }) => {
    const left = steps.filter(({ status }) => status === "skipped");
    return left.length === 0 ? [] : [{ address, left, reason: left[0]!.reason ?? "" }];
  });
  for (const [reason, those] of Map.groupBy(skipped, (each) => each.reason)) {
    const [{ address, left } = { address: "", left: [] }, ...more] = those;
    const what =
      more.length === 0
        ? `${visible(address)}: ${left.map(({ operation }) => operation).join(", ")}`
        : `${those.length} resources: ${visible(addressList(those.map((each) => each.address)))}`;
    terminal.hint(`Not begun for ${what}${reason === known ? "" : ` (${visible(reason)})`}`);
  }
}

/** The first few; which the others are, the document tells. */
function addressList(addresses: readonly string[]): string {
  const shown = addresses.slice(0, 3).join(", ");
  return addresses.length > 3 ? `${shown} and ${addresses.length - 3} more` : shown;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
