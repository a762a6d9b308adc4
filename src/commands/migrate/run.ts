/** `formctl migrate run`: carries out the due migrations, and records them on the target. */

import { targetText } from "../../config/target.ts";
import type { RunProposal } from "../../migrations/run-migrations.ts";
import { FormctlError } from "../../base/error.ts";
import { plural } from "../../base/plural.ts";
import { visible } from "../../terminal/escape.ts";
import { asText, type CommandContext, defineCommand, optionalArgument } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { confirmNeeds } from "../confirm-needs.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import { executableMigrations } from "./open-migrations.ts";
import { acceptances, to } from "./options.ts";
import { plannedDocument, printMigrationsPlan } from "./plan-view.ts";
import { migrationsPlanReport, migrationsResultReport } from "./reports.ts";
import { printFailures, printOutcomes, resultsDocument } from "./results.ts";

const COMMAND = "formctl migrate run";

export default defineCommand({
  details: `Runs the migrations that have not run on the target, in the order of their names, and records each of them on the target.
PLAN is a file that formctl migrate plan --out has written: the run is refused if anything has changed since.

The command shows what the migrations change and asks for confirmation. --yes confirms it, except for what would be lost. A layout
with a draft of another user is left out unless --allow-replace is specified. One run at a time works on a target.

To continue an interrupted run, run again: completed steps are not repeated. A script that another folder began on a server
continues only if its recorded answers are accepted (--allow-answers). The run stops at the first migration that is not
finished. The exit code is then 9, or that of the refusal if nothing was done.`,
  examples: [
    "formctl migrate run --dry-run",
    "formctl migrate run --yes",
    "formctl migrate run migrations.plan.json --yes",
  ],
  args: { plan: optionalArgument("PLAN", "A saved plan", asText, "file") },
  options: {
    to,
    ...acceptances,
    format: formatOption,
    concurrency: concurrencyOption,
  },
  writes: true,
  reportsSteps: true,
  describesDryRun: true,
  async run(context, { plan: path, concurrency: limit, format = "text", ...request }) {
    refuseTwoFormats(format, context.settings);
    if (path !== undefined && request.to !== undefined) {
      throw new FormctlError("USAGE", "--to can't be used with a saved plan", "Remove one of them.");
    }
    const plan = path === undefined ? undefined : new TextDecoder().decode(await context.readFile(path));
    const ran = await executableMigrations(context, limit).run({
      ...request,
      plan,
      dryRun: context.dryRun,
      signal: context.ending,
      confirm: (proposal) => confirm(context, proposal),
    });
    const results = await resultsDocument(context, ran);
    const [where, pathOf] = [targetText(context.target), repositoryPaths(context)];
    return { ran, results, where, cwd: context.cwd, format, pathOf };
  },
  view({ ran, results, where, cwd, format, pathOf }, terminal) {
    const summary = outcomeText(ran, where);
    const isPlanned = ran.outcome === "planned";
    if (!isPlanned) printFailures(results, ran, terminal);
    if (format !== "text") {
      const { migrations } = ran.plan;
      const report = isPlanned
        ? { ...migrationsPlanReport(COMMAND, migrations, [], { where, exitCode: results.exitCode, cwd }), summary }
        : migrationsResultReport(COMMAND, results, { where, summary });
      printReport(report, format, { pathOf, terminal });
      return;
    }
    if (!isPlanned) printOutcomes(results, terminal);
    else if (ran.plan.migrations.length > 0) printMigrationsPlan(ran.plan, where, terminal);
    terminal.line(summary);
  },
  viewFailure: failureView(COMMAND),
  document: ({ ran, results, cwd }) => ({
    ...results,
    ...(ran.outcome === "planned" && { planned: ran.plan.migrations.map((one) => plannedDocument(one, cwd)) }),
  }),
  names: ({ results }) => results.migrations.map(({ name }) => name),
  next: ({ ran: { outcome } }) =>
    outcome === "partial" || outcome === "interrupted" || outcome === "unknown"
      ? ["formctl migrate run  # does the rest, after the cause is corrected"]
      : [],
  exitCode: ({ results }) => results.exitCode,
});

function outcomeText({ outcome, migrations, record }: Ran, where: string): string {
  const target = visible(where);
  const done = migrations.filter((one) => one.outcome === "done").length;
  if (migrations.length === 0) return `No migrations are due on ${target}.`;
  if (outcome === "planned")
    return `Dry run, nothing was changed. Due on ${target}: ${plural(migrations.length, "migration")}.`;
  const counts = `${done} of ${plural(migrations.length, "migration")}`;
  return `Ran ${counts} on ${target}, recorded in ${visible(record)}.`;
}

type Ran = { outcome: string; migrations: readonly { outcome: string }[]; record: string };

/**
 * Asks the user to confirm all migrations, then each loss that requires a separate confirmation.
 *
 * @throws CONSENT_MISSING if the user declines, or can't be asked and a flag is missing
 */
async function confirm(context: CommandContext, { plan, needs }: RunProposal): Promise<boolean> {
  const where = targetText(context.target);
  await confirmNeeds(context, {
    print: (terminal) => printMigrationsPlan(plan, where, terminal),
    question: `Run ${plural(plan.migrations.length, "migration")} on ${where}?`,
    needs,
  });
  return true;
}
