/** Creates the reports of planned and executed migrations, for the formats of `--format`. */

import { relative } from "node:path";
import type { PlannedMigration } from "../../migrations/plan-migrations.ts";
import type { PlannedDown } from "../../migrations/revert-migrations.ts";
import type { LeftOut } from "../../migrations/left-out.ts";
import { plural } from "../../base/plural.ts";
import type { Finding, Report, Suite } from "../formats/report.ts";
import {
  appliedFindings,
  failedFinding,
  planDetails,
  plannedFindings,
  rehearsalSuites,
} from "../manifests/plan-report.ts";
import type { MigrationRehearsal } from "./plan-view.ts";
import type { ResultDocument, Results } from "./results.ts";

type Facts = { where: string; exitCode: number; cwd: string };

/**
 * Returns the report of due migrations, with a suite for each of them.
 *
 * @param rehearsals what the rehearsals showed, in the order of the migrations; empty if there was none
 */
export function migrationsPlanReport(
  command: string,
  migrations: readonly PlannedMigration[],
  rehearsals: readonly MigrationRehearsal[],
  { where, exitCode, cwd }: Facts,
): Report {
  return {
    title: [command, "for", where],
    summary: migrations.length === 0 ? "no migrations are due" : `${plural(migrations.length, "migration")} to run`,
    exitCode,
    problems: migrations.flatMap(({ problems }) => problems),
    suites: migrations.flatMap((migration, index) => plannedSuites(migration, rehearsals[index] ?? {}, cwd)),
    details: migrations.flatMap(({ plan }) => (plan ? planDetails(plan) : [])),
  };
}

function plannedSuites(migration: PlannedMigration, rehearsed: MigrationRehearsal, cwd: string): Suite[] {
  const { name, kind, plan, left, path } = migration;
  const writes = migration.rehearsed?.writes ?? migration.listedSteps ?? [];
  const itself: Finding = {
    subject: name,
    state: "to run",
    level: "note",
    fails: false,
    message: plan ? "" : kind === "code" ? "code that was not executed" : plural(writes.length, "write"),
    place: { file: relative(cwd, path), line: 1 },
  };
  const { rehearsal, failure } = rehearsed;
  const foretold = rehearsalSuites(rehearsal).flatMap(({ findings }) => findings);
  const findings = [
    itself,
    ...(plan ? plannedFindings(plan) : []),
    ...left.map(leftFinding),
    ...foretold,
    ...(failure ? [failedFinding(name, failure)] : []),
  ];
  return [{ name, findings }];
}

/** Returns the report of the migrations that `formctl migrate down --dry-run` would revert. */
export function downPlanReport(
  command: string,
  migrations: readonly PlannedDown[],
  { where, summary }: { where: string; summary: string },
): Report {
  const suites = migrations.map(({ name, plan, left, lost, steps }): Suite => {
    const message = plan ? "" : plural(steps.length, "step");
    const itself: Finding = { subject: name, state: "to revert", level: "note", fails: false, message };
    const losses = lost.map(({ address, what }): Finding => {
      return { subject: address, state: "not restored", level: "warning", fails: false, message: what };
    });
    return { name, findings: [itself, ...(plan ? plannedFindings(plan) : []), ...left.map(leftFinding), ...losses] };
  });
  const details = migrations.flatMap(({ plan }) => (plan ? planDetails(plan) : []));
  return { title: [command, "on", where], summary, exitCode: 0, problems: [], suites, details };
}

function leftFinding({ address, reason, hint, isMeant }: LeftOut): Finding {
  const message = hint === undefined ? reason : `${reason}. ${hint}`;
  return { subject: address, state: "left out", level: isMeant ? "warning" : "none", fails: false, message };
}

/**
 * Returns the report of executed migrations, with a suite for each of them.
 *
 * @param summary the outcome in a sentence
 */
export function migrationsResultReport(
  command: string,
  { migrations, exitCode }: Results,
  { where, summary }: { where: string; summary: string },
): Report {
  return {
    title: [command, "on", where],
    summary,
    exitCode,
    isComplete: exitCode === 0,
    problems: migrations.flatMap(({ applied }) => applied?.problems ?? []),
    suites: migrations.map(resultSuite),
  };
}

function resultSuite({ name, outcome, applied, error, left, steps }: ResultDocument): Suite {
  const isFailed = outcome !== "done" && outcome !== "planned" && outcome !== "skipped";
  const failure = error ?? applied?.error;
  const itself: Finding = {
    subject: name,
    state: outcome,
    level: isFailed ? "error" : outcome === "planned" ? "note" : "none",
    fails: isFailed,
    isSkipped: outcome === "skipped",
    message: failure?.message ?? "",
    ...(failure?.location && { place: failure.location }),
  };
  const done = steps.map((step): Finding => {
    return { subject: step, state: "done", level: "none", fails: false, message: "" };
  });
  const findings = [itself, ...(applied ? appliedFindings(applied) : done), ...left.map(leftFinding)];
  return { name, findings };
}
