/** Prints plans of migrations as text and as documents. */

import { relative } from "node:path";
import type { Need, Plan } from "../../plan/planned.ts";
import type { RehearsedScript, PlannedMigration } from "../../migrations/plan-migrations.ts";
import { answerNeeds } from "../../migrations/foreign-answers.ts";
import type { LeftOut } from "../../migrations/left-out.ts";
import type { PlannedDown } from "../../migrations/revert-migrations.ts";
import type { MigrationsPlan } from "../../migrations/run-migrations.ts";
import { plural } from "../../base/plural.ts";
import { safeLine, visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import type { Failure } from "../failure.ts";
import { type RehearsalDocument, rehearsalDocument, rehearsalExitCode } from "../manifests/rehearsal-view.ts";
import { resourceDocument } from "../manifests/plan-document.ts";
import { bodyOf, printResources, summaryText } from "../manifests/plan-view.ts";

type Out = Pick<Terminal, "out" | "line" | "style" | "width">;

/** What a rehearsal showed of one migration, for `-o json`. */
export type MigrationRehearsal = {
  rehearsal?: RehearsalDocument;
  /** Why a script would fail. */
  failure?: Failure;
};

/** Describes what the rehearsals showed, in the order of the migrations. */
export function rehearsalsOf(context: CommandContext, plan: MigrationsPlan): Promise<MigrationRehearsal[]> {
  return Promise.all(
    plan.migrations.map(async ({ rehearsal, rehearsed }) => ({
      ...(rehearsal && { rehearsal: await rehearsalDocument(context, rehearsal) }),
      ...(rehearsed?.failure !== undefined && { failure: await context.describe(rehearsed.failure) }),
    })),
  );
}

/** Returns the rehearsals as one, with each unknown fact once. */
export function joinRehearsals(rehearsals: readonly MigrationRehearsal[]): RehearsalDocument {
  const all = rehearsals.flatMap(({ rehearsal }) => rehearsal ?? []);
  const unknown = Map.groupBy(
    all.flatMap((rehearsal) => rehearsal.unknown),
    ({ text }) => text,
  );
  return {
    refusals: all.flatMap((rehearsal) => rehearsal.refusals),
    effects: all.flatMap((rehearsal) => rehearsal.effects),
    unknown: [...unknown.values()].map(([first, ...others]) => ({
      ...first!,
      addresses: [first!, ...others].flatMap(({ addresses }) => addresses),
    })),
  };
}

/** Returns the exit code of the first certain refusal or script failure. Returns 0 if there is none. */
export function foretoldExitCode(rehearsals: readonly MigrationRehearsal[]): number {
  const codes = rehearsals.map(({ rehearsal, failure }) =>
    rehearsal ? rehearsalExitCode(rehearsal) : (failure?.exitCode ?? 0),
  );
  return codes.find((code) => code !== 0) ?? 0;
}

/**
 * Prints the migrations that a run would carry out.
 *
 * @param where the target in words
 * @param rehearsals what the rehearsals showed, in the order of the migrations; empty if there was none
 */
export function printMigrationsPlan(
  { migrations }: MigrationsPlan,
  where: string,
  terminal: Out,
  rehearsals: readonly MigrationRehearsal[] = [],
): void {
  const { style } = terminal;
  terminal.line(`${plural(migrations.length, "migration")} to run on ${style.bold(visible(where))}`);
  for (const [
    index,
    { name, kind, continues, plan, left, isProvisional, doneSteps, rehearsed, listedSteps, foreignAnswers },
  ] of migrations.entries()) {
    printHeading({ name, kind, about: continues ? ", interrupted: the rest" : "" }, terminal);
    if (plan) printTransform({ plan, left, isProvisional }, PROVISIONAL, terminal);
    else if (kind === "code") terminal.line("    Code that was not executed: its changes are unknown.");
    else {
      if (doneSteps.length > 0) terminal.line(`    Done by an earlier run: ${visible(doneSteps.join(", "))}`);
      printScript(rehearsed ?? (listedSteps && { writes: listedSteps }), rehearsals[index]?.failure, terminal);
      printNeeds(answerNeeds(name, foreignAnswers), terminal);
    }
  }
}

/** Prints the writes of a script, one line for each step. @param script undefined if the steps are unknown */
function printScript(script: RehearsedScript | undefined, failure: Failure | undefined, { line, style }: Out): void {
  if (!script) return line("    A script: its steps are known when it runs.");
  for (const [step, writes] of Map.groupBy(script.writes, (write) => write.step)) {
    const operations = writes.map(({ operation }) => operation).join(", ");
    line(`    ${visible(step)}: ${style.dim(operations)}`);
  }
  if (failure) line(`    ${style.red("would fail:")} ${visible(failure.message)}`);
  else if (script.writes.length === 0) line("    Writes nothing.");
}

function printNeeds(needs: readonly Need[], { out, style, width }: Out): void {
  out(bodyOf({ changes: [], effects: [], notes: [], needs }, style, width));
}

/** Prints the migrations that `down` would revert. */
export function printDownPlan(migrations: readonly PlannedDown[], where: string, terminal: Out): void {
  const { style } = terminal;
  terminal.line(`${plural(migrations.length, "migration")} to revert on ${style.bold(visible(where))}`);
  for (const { name, kind, plan, left, isProvisional, lost, steps, foreignAnswers } of migrations) {
    printHeading({ name, kind, about: "" }, terminal);
    if (plan) printTransform({ plan, left, isProvisional }, PROVISIONAL_DOWN, terminal);
    else terminal.line(`    Its function down reverts the steps: ${visible(steps.join(", "))}`);
    printNeeds(answerNeeds(name, foreignAnswers), terminal);
    for (const { address, what } of lost)
      terminal.line(`    ${style.red("can't come back:")} ${visible(`${address}: ${what}`)}`);
  }
}

const PROVISIONAL = "Compared with the current state. Migrations before it change it, so that its changes may differ.";
const PROVISIONAL_DOWN = "Compared with the current state. It is planned again after the newer ones are reverted.";

type Heading = { name: string; kind: string; about: string };

function printHeading({ name, kind, about }: Heading, { line, style }: Out): void {
  line(`\n${style.bold(safeLine(visible(name)))} ${style.dim(`(${kind}${about})`)}\n`);
}

type Transformed = { plan: Plan; left: readonly LeftOut[]; isProvisional: boolean };

function printTransform({ plan, left, isProvisional }: Transformed, provisional: string, terminal: Out): void {
  if (isProvisional) terminal.line(`    ${provisional}\n`);
  printResources(plan, terminal);
  for (const { address, reason, hint, isMeant } of left) {
    const mark = isMeant ? terminal.style.red("left out, but meant:") : terminal.style.dim("left out:");
    const next = hint === undefined ? "" : `. ${hint}`;
    terminal.line(`    ${mark} ${visible(address)}: ${visible(`${reason}${next}`)}`);
  }
  terminal.line(`    ${summaryText(plan)}`);
}

/**
 * Returns the members of a planned migration for the JSON document.
 *
 * @param cwd the folder to which files are relative
 */
export function plannedDocument(migration: PlannedMigration, cwd: string, rehearsal: MigrationRehearsal = {}) {
  const {
    name,
    kind,
    path,
    checksum,
    continues,
    plan,
    problems,
    left,
    isProvisional,
    doneSteps,
    rehearsed,
    listedSteps,
    foreignAnswers,
  } = migration;
  return {
    name,
    kind,
    file: relative(cwd, path),
    checksum,
    continues,
    ...(plan
      ? { isProvisional, resources: plan.resources.map(resourceDocument), left, problems }
      : {
          doneSteps,
          foreignAnswers,
          ...(rehearsed && { writes: rehearsed.writes }),
          ...(listedSteps && { listedSteps }),
        }),
    ...rehearsal,
  };
}

/** Returns the members of a migration to revert for the JSON document. */
export function downDocument({ name, kind, plan, left, lost, steps, foreignAnswers, isProvisional }: PlannedDown) {
  return {
    name,
    kind,
    ...(plan
      ? { isProvisional, resources: plan.resources.map(resourceDocument), left, lost }
      : { steps, foreignAnswers }),
  };
}
