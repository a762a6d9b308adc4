/** Prints the result of an apply as text: every failure with its resource, then the counts. */

import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Failure } from "../failure.ts";
import { failureText } from "../print-failure.ts";
import type { Applied, AppliedResource } from "./apply-document.ts";
import { count } from "./plan-view.ts";

export type ApplyView = {
  /** The target in words. */
  where: string;
  sources: Sources;
  /** Whether the server returns everything that the manifests describe. */
  isObserved: boolean;
  terminal: Terminal;
};

export function printApplied(applied: Applied, { where, sources, isObserved, terminal }: ApplyView): void {
  const { outcome, summary, problems, notRun, error, resources } = applied;
  terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
  for (const check of notRun) terminal.hint(`Not checked: ${visible(check)}.`);
  for (const resource of resources) printFailures(resource, sources, terminal);
  const others = resources.filter((resource) => !hasFailed(resource));
  printSkipped(others, terminal, error?.message);
  const { created, updated, deleted, unchanged, unfinished } = summary.resources;
  const target = visible(where);
  if (outcome === "unchanged") {
    const asShown = isObserved ? "" : " as far as the server shows it";
    terminal.out(`No changes: ${target} matches the manifests${asShown} (${count(unchanged, "resource")}).\n`);
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
  const lead = {
    planned: "Dry run, nothing was changed. Planned for",
    applied: "Applied to",
    partial: "Partly applied to",
    unknown: "Outcome unknown for",
    failed: "Not applied to",
    interrupted: "Interrupted. Applied so far to",
  }[outcome];
  const { steps, doneBefore } = summary;
  const all = steps.done + steps.planned;
  const before = doneBefore > 0 ? ` (${doneBefore} of ${count(all, "step")} by an earlier run)` : "";
  terminal.out(`${lead} ${target}: ${words}${before}.\n`);
}

function printFailures(resource: AppliedResource, sources: Sources, terminal: Terminal): void {
  const { address, steps, conflict } = resource;
  const { errStyle: style, errWidth: width } = terminal;
  const print = (what: string, failure: Failure) => {
    terminal.err(`${style.bold("In")} ${visible(address)}: ${what}\n`);
    terminal.err(failureText(failure, { style, width, sources, confirmation }));
  };
  for (const { operation, status, error, unconfirmed } of steps) {
    if (unconfirmed !== undefined) terminal.warn(`${visible(address)}: ${operation}: ${visible(unconfirmed)}`);
    if (error) print(`${operation} ${status === "unknown" ? "has an unknown outcome" : "failed"}`, error);
  }
  if (conflict) print("created, but it exists more than once", conflict);
  if (hasFailed(resource)) printSkipped([resource], terminal);
}

const confirmation = (draftId: string) => `confirmFieldChanges: [${draftId}]`;

/** Whether the resource itself failed. Its skipped steps are then skipped because of this failure. */
function hasFailed({ steps, conflict }: AppliedResource): boolean {
  return conflict !== undefined || steps.some(({ error }) => error);
}

/**
 * Prints the skipped steps. A reason that several resources share is printed once.
 *
 * @param known a reason that is already printed elsewhere
 */
function printSkipped(resources: readonly AppliedResource[], terminal: Terminal, known?: string): void {
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
    terminal.hint(`Skipped for ${what}${reason === known ? "" : ` (${visible(reason)})`}`);
  }
}

/** Returns the first three addresses and the number of the others. The JSON document has all of them. */
function addressList(addresses: readonly string[]): string {
  const shown = addresses.slice(0, 3).join(", ");
  return addresses.length > 3 ? `${shown} and ${addresses.length - 3} more` : shown;
}
