/** Prints the failures of an apply, each with its resource. Describes the outcome in a sentence. */

import { renderDiagnostics, type Sources } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import { wrapped } from "../../terminal/message.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Failure } from "../failure.ts";
import { failureText } from "../print-failure.ts";
import type { Applied, AppliedResource } from "./apply-document.ts";
import { plural } from "../../base/plural.ts";

/** Prints the warnings, failures and skipped steps of a run on stderr. */
export function printProblems(
  { problems, notRun, error, resources }: Applied,
  sources: Sources,
  terminal: Terminal,
): void {
  terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
  for (const check of notRun) terminal.hint(`Not checked: ${visible(check)}.`);
  printFailures(resources, sources, terminal);
  const others = resources.filter((resource) => !hasFailed(resource));
  printSkipped(others, terminal, error?.message);
}

/**
 * Returns the outcome and the counts as a sentence.
 *
 * @param where the target in words
 * @param isObserved whether the server returns everything that the manifests describe
 * @param desired what was applied, in words
 */
export function outcomeText(
  { outcome, summary }: Applied,
  { where, isObserved, desired = "the manifests" }: { where: string; isObserved: boolean; desired?: string },
): string {
  const { created, updated, deleted, unchanged, unfinished } = summary.resources;
  const target = visible(where);
  if (outcome === "unchanged") {
    const asShown = isObserved ? "" : " as far as the server shows it";
    return `No changes: ${target} matches ${visible(desired)}${asShown} (${plural(unchanged, "resource")}).`;
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
  const all = Object.values(steps).reduce((sum, number) => sum + number, 0);
  const before = doneBefore > 0 ? ` (${doneBefore} of ${plural(all, "step")} by an earlier run)` : "";
  return `${lead} ${target}: ${words}${before}.`;
}

/** The exit code for a missing token or permission. */
const PERMISSION = 4;

type ReportedFailure = { address: string; what: string; failure: Failure };

function printFailures(resources: readonly AppliedResource[], sources: Sources, terminal: Terminal): void {
  const { errStyle: style, errWidth: width } = terminal;
  const print = ({ address, what, failure }: ReportedFailure, more: readonly ReportedFailure[] = []) => {
    const where =
      more.length === 0
        ? visible(address)
        : `${more.length + 1} resources, ${visible(addressList([address, ...more.map((each) => each.address)]))}`;
    terminal.err(wrapped(`${style.bold("In")} ${where}: ${what}`, width));
    terminal.err(failureText(failure, { style, width, sources, confirmation }));
  };
  // A missing permission may affect several resources. It is printed once.
  const isRefused = ({ failure }: ReportedFailure) => failure.exitCode === PERMISSION;
  const refused = resources.flatMap(failuresOf).filter(isRefused);
  for (const [first, ...more] of Map.groupBy(refused, ({ what, failure }) => `${what} ${failure.message}`).values())
    if (first) print(first, more);
  for (const resource of resources) {
    for (const { operation, unconfirmed } of resource.steps)
      if (unconfirmed !== undefined)
        terminal.warn(`${visible(resource.address)}: ${operation}: ${visible(unconfirmed)}`);
    const failures = failuresOf(resource).filter((each) => !isRefused(each));
    for (const failure of failures) print(failure);
    if (failures.length > 0) printSkipped([resource], terminal);
  }
  printSkipped(
    resources.filter((resource) => hasFailed(resource) && failuresOf(resource).every(isRefused)),
    terminal,
  );
}

function failuresOf({ address, steps, conflict }: AppliedResource): ReportedFailure[] {
  const failures = steps.flatMap(({ operation, status, error }): ReportedFailure[] => {
    const what = `${operation} ${status === "unknown" ? "has an unknown outcome" : "failed"}`;
    return error ? [{ address, what, failure: error }] : [];
  });
  const what = "created, but it exists more than once";
  return conflict ? [...failures, { address, what, failure: conflict }] : failures;
}

const confirmation = (draftId: string) => `confirmFieldChanges: [${draftId}]`;

/** Whether the resource itself failed. The failure is then the reason for the skipped steps. */
function hasFailed({ steps, conflict }: AppliedResource): boolean {
  return conflict !== undefined || steps.some(({ error }) => error);
}

/**
 * Prints the skipped steps. A reason that several resources share is printed once.
 *
 * @param known a reason that is already printed, and is not repeated
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

/** Returns the first three addresses and the number of the others. The JSON document has all addresses. */
function addressList(addresses: readonly string[]): string {
  const shown = addresses.slice(0, 3).join(", ");
  return addresses.length > 3 ? `${shown} and ${addresses.length - 3} more` : shown;
}
