/** `formctl migrate down`: reverts the newest migrations. */

import { targetText } from "../../config/target.ts";
import type { DownResult } from "../../migrations/revert-migrations.ts";
import { plural } from "../../base/plural.ts";
import { visible } from "../../terminal/escape.ts";
import { defineCommand, flag, optionalArgument, wholeNumber } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { confirmNeeds } from "../confirm-needs.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import { executableMigrations } from "./open-migrations.ts";
import { allowAnswers } from "./options.ts";
import { downDocument, printDownPlan } from "./plan-view.ts";
import { downPlanReport, migrationsResultReport } from "./reports.ts";
import { printFailures, printOutcomes, resultsDocument } from "./results.ts";

const COMMAND = "formctl migrate down";

export default defineCommand({
  details: `Reverts the N newest migrations (default: 1), the newest first, and removes them from the record of the target. What a
transform replaced is brought back: the former contents of layouts, and the former members of forms. A script runs its
function down, and is refused if it has none.

The command shows what comes back and what can't, and asks for confirmation. A form or layout that was changed after the
migration is left out. To continue an interrupted reversal, run the command again.`,
  examples: ["formctl migrate down --dry-run", "formctl migrate down --yes", "formctl migrate down 2 --yes"],
  args: { count: optionalArgument("N", "How many migrations to revert", wholeNumber(1)) },
  options: {
    allowReplace: flag("--allow-replace", "Overwrite drafts of other users; otherwise their layouts are left out"),
    overwrite: flag("--overwrite", "Overwrite what was changed after the migration; otherwise it is left out"),
    allowAnswers,
    allowChanged: flag("--allow-changed", "Use a file that was edited after it ran"),
    format: formatOption,
    concurrency: concurrencyOption,
  },
  writes: true,
  reportsSteps: true,
  describesDryRun: true,
  async run(context, { concurrency: limit, format = "text", ...request }) {
    refuseTwoFormats(format, context.settings);
    const where = targetText(context.target);
    const ran = await executableMigrations(context, limit).down({
      ...request,
      dryRun: context.dryRun,
      signal: context.ending,
      async confirm({ migrations, needs }) {
        await confirmNeeds(context, {
          print: (terminal) => printDownPlan(migrations, where, terminal),
          question: `Revert ${plural(migrations.length, "migration")} on ${where}?`,
          needs,
        });
        return true;
      },
    });
    const results = await resultsDocument(context, ran);
    return { ran, results, where, format, pathOf: repositoryPaths(context) };
  },
  view({ ran, results, where, format, pathOf }, terminal) {
    const isPlanned = ran.outcome === "planned";
    const summary = outcomeText(ran, where);
    if (!isPlanned) printFailures(results, ran, terminal);
    if (format !== "text") {
      const report = isPlanned
        ? downPlanReport(COMMAND, ran.planned, { where, summary })
        : migrationsResultReport(COMMAND, results, { where, summary });
      printReport(report, format, { pathOf, terminal });
      return;
    }
    if (!isPlanned) printOutcomes(results, terminal);
    else if (ran.planned.length > 0) printDownPlan(ran.planned, where, terminal);
    terminal.line(summary);
  },
  viewFailure: failureView(COMMAND),
  document: ({ ran, results }) => ({
    ...results,
    ...(ran.outcome === "planned" && { planned: ran.planned.map(downDocument) }),
  }),
  names: ({ results }) => results.migrations.map(({ name }) => name),
  exitCode: ({ results }) => results.exitCode,
});

function outcomeText({ outcome, migrations }: DownResult, where: string): string {
  const target = visible(where);
  const done = migrations.filter((one) => one.outcome === "done").length;
  if (migrations.length === 0) return `No migrations ran on ${target}.`;
  if (outcome === "planned") return "Dry run, nothing was changed.";
  return `Reverted ${done} of ${plural(migrations.length, "migration")} on ${target}.`;
}
