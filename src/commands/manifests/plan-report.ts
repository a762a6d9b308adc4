/** Creates the reports of plans and applied plans, for the formats of `--format`. */

import type { Plan, PlannedResource } from "../../plan/planned.ts";
import { plural } from "../../base/plural.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { diffLines } from "../../terminal/diff.ts";
import { plain } from "../../terminal/style.ts";
import type { Failure } from "../failure.ts";
import { type Detail, type Finding, findingOfProblem, type Report, type Suite } from "../formats/report.ts";
import type { Applied, AppliedResource } from "./apply-document.ts";
import { bodyOf, summaryText, VERBS } from "./plan-view.ts";
import { type RehearsalDocument, rehearsalLines } from "./rehearsal-view.ts";

type PlanFacts = { plan: Plan; problems: readonly Located[]; rehearsal?: RehearsalDocument | undefined };

/**
 * Returns the report of a plan.
 *
 * @param where the target in words
 */
export function planReport(
  command: string,
  { plan, problems, rehearsal }: PlanFacts,
  { where, exitCode, strict }: { where: string; exitCode: number; strict: boolean },
): Report {
  return {
    title: [command, "for", where],
    summary: summaryText(plan),
    exitCode,
    strict,
    problems,
    suites: [{ name: where, findings: plannedFindings(plan) }, ...rehearsalSuites(rehearsal)],
    tables: rehearsal ? [rehearsalTable(rehearsal)] : [],
    details: planDetails(plan),
  };
}

/** Returns a finding for each form and layout of a plan. */
export function plannedFindings({ resources }: Plan): Finding[] {
  return resources.map(({ address, action, changes, needs, place }) => {
    const flags = needs.map(({ consent }) => `requires --${consent}`);
    const counts = changes.length > 0 ? [plural(changes.length, "change")] : [];
    return {
      subject: address,
      state: action === "none" ? VERBS.none : `to ${VERBS[action]}`,
      level: action === "none" ? "none" : needs.length > 0 ? "warning" : "note",
      fails: false,
      message: [...counts, ...new Set(flags)].join(", "),
      ...(place && { place }),
    };
  });
}

/** Returns the refusals of a rehearsal as a suite. Returns an empty list if there are none. */
export function rehearsalSuites(rehearsal: RehearsalDocument | undefined): Suite[] {
  const findings = (rehearsal?.refusals ?? []).flatMap(({ address, operation, isCertain, problems, error }) =>
    problems.length > 0
      ? problems.map((problem) => findingOfProblem(problem))
      : [
          {
            subject: `${address}: ${operation}`,
            state: error.code,
            level: isCertain ? ("error" as const) : ("warning" as const),
            fails: isCertain,
            message: error.message,
          },
        ],
  );
  return findings.length === 0 ? [] : [{ name: "rehearsal", findings }];
}

/** Returns a table with the result of a rehearsal. */
function rehearsalTable(rehearsal: RehearsalDocument) {
  const { refusals, effects, unknown } = rehearsalLines(rehearsal);
  const rows = [
    ...refusals.map((line) => ["refusal", line]),
    ...effects.map((line) => ["effect", line]),
    ...unknown.map((line) => ["unknown", line]),
  ];
  return { titles: ["Rehearsal", "Finding"], rows };
}

/** Returns the changes of each form and layout, as lines that viewers of diffs colour. */
export function planDetails({ resources }: Plan): Detail[] {
  const shown = resources.filter(({ action, notes }) => action !== "none" || notes.length > 0);
  return shown.map((resource: PlannedResource) => {
    const { action, address, needs, place, changes } = resource;
    const flags = [...new Set(needs.map(({ consent }) => consent))].join(", --");
    const lines = bodyOf(resource, plain, Infinity, diffLines(changes)).split("\n").slice(0, -1);
    return {
      title: {
        verb: VERBS[action],
        name: address,
        where: place ? `${place.file}:${place.line}` : "",
        warning: needs.length > 0 ? `requires --${flags}` : "",
      },
      lines: lines.map((line) => line.slice(4)),
    };
  });
}

/**
 * Returns the report of an apply: the outcome, and each step.
 *
 * @param outcome the outcome and the counts as a sentence
 * @param where the target in words
 */
export function appliedReport(
  command: string,
  applied: Applied,
  { outcome, where, strict }: { outcome: string; where: string; strict: boolean },
): Report {
  const { exitCode, error, resources, problems } = applied;
  const rows = resources.flatMap(({ address, action, steps, conflict }) => {
    if (action === "none" && !conflict) return [];
    const failure = conflict ?? steps.find((step) => step.error)?.error;
    const done = steps.filter(({ status }) => status === "done").length;
    return [[VERBS[action], address, `${done} of ${steps.length}`, failure?.message ?? ""]];
  });
  const findings = [...appliedFindings(applied), ...(error ? [failedFinding(command, error)] : [])];
  return {
    title: [command],
    summary: outcome,
    exitCode,
    isComplete: exitCode === 0,
    strict,
    problems,
    suites: [{ name: where, findings }],
    tables: [{ titles: ["Action", "Resource", "Steps done", "Error"], rows }],
  };
}

/** Returns a finding for each step of an apply, and for each resource without steps. */
export function appliedFindings({ resources }: Pick<Applied, "resources">): Finding[] {
  return resources.flatMap((resource) => {
    const { address, steps, conflict } = resource;
    const found = steps.map((step) => stepFinding(resource, step));
    if (conflict) found.push(failedFinding(address, conflict));
    if (found.length > 0) return found;
    return [{ subject: address, state: VERBS.none, level: "none", fails: false, message: "" }];
  });
}

function stepFinding(
  { address, file, line }: AppliedResource,
  { operation, status, reason, error, unconfirmed }: AppliedResource["steps"][number],
): Finding {
  const subject = `${address}: ${operation}`;
  if (error) return { ...failedFinding(subject, error), state: status === "unknown" ? "outcome unknown" : error.code };
  const isFailed = status === "unknown" || status === "failed";
  return {
    subject,
    state: status === "unknown" ? "outcome unknown" : status,
    level: isFailed ? "error" : unconfirmed !== undefined ? "warning" : status === "planned" ? "note" : "none",
    fails: isFailed,
    isSkipped: status === "skipped",
    message: unconfirmed ?? reason ?? "",
    ...(file !== undefined && line !== undefined && { place: { file, line } }),
  };
}

/** Returns the finding for a failure. */
export function failedFinding(subject: string, { code, message, location }: Failure): Finding {
  return { subject, state: code, level: "error", fails: true, message, ...(location && { place: location }) };
}
