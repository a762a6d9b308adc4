/** `formctl apply`: makes the target equal to manifests, or executes a saved plan. */

import { targetText } from "../../config/target.ts";
import type { Proposal } from "../../project/project.ts";
import { type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { confirmNeeds } from "../confirm-needs.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import { appliedDocument } from "./apply-document.ts";
import { outcomeText, printProblems } from "./apply-view.ts";
import { projectOf } from "./open-project.ts";
import { notCreatedOption, pathsArgument } from "./arguments.ts";
import { appliedReport } from "./plan-report.ts";
import { printPlan } from "./plan-view.ts";
import { printRehearsal, type RehearsalDocument } from "./rehearsal-view.ts";
import { plural } from "../../base/plural.ts";

export default defineCommand({
  details: `PATH is a file or a folder of manifests. Without one, the folder is the one that the project file sets as manifests. PLAN
is a file that formctl plan --out has written. It is applied as it was saved, and refused if anything has changed since.

The command shows the plan and asks for confirmation. --yes confirms it, except for what would be lost: deleting a form
(--prune) requires --allow-delete, overwriting a draft of another user requires --allow-replace, and clearing the values
of a field requires an entry under confirmFieldChanges in the manifest.

To resume an interrupted run, apply the same manifests or plan again: completed steps are not repeated. A failed step stops its
own form or layout only. The exit code is then 9, or 8 if a draft requires confirmation and nothing else was done.`,
  examples: [
    "formctl apply forms --dry-run",
    "formctl apply forms/candidate.yaml --yes",
    "formctl apply plan.json --yes",
  ],
  args: { paths: pathsArgument("Files and folders of manifests, or one saved plan") },
  options: {
    prune: flag("--prune", "Delete forms of the same objects that no manifest describes, in PATH or next to it"),
    allowDelete: flag("--allow-delete", "Confirm the deletion of forms"),
    allowReplace: flag("--allow-replace", "Confirm that drafts of other users are overwritten"),
    target: list("--target <address>", "Only this form or layout, by its address in a plan; repeatable"),
    noPublish: flag("--no-publish", "Save drafts without publishing them"),
    noStamp: flag("--no-stamp", "Leave the metadata of drafts without formctl's stamp"),
    strict: flag("--strict", "Treat warnings as errors"),
    format: formatOption,
    notCreated: notCreatedOption,
    concurrency: concurrencyOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  writes: true,
  reportsSteps: true,
  describesDryRun: true,
  async run(context, input) {
    const { target: targets, noPublish, noStamp, organizationFile, concurrency, format = "text", ...request } = input;
    refuseTwoFormats(format, context.settings);
    const result = await projectOf(context, { organizationFile, concurrency }).apply({
      ...request,
      targets,
      publish: !noPublish,
      stamp: !noStamp,
      dryRun: context.dryRun,
      signal: context.ending,
      confirm: (proposal) => confirmPlan(context, proposal),
    });
    const applied = await appliedDocument(context, result);
    const [where, pathOf] = [targetText(context.target), repositoryPaths(context)];
    return { result, applied, where, format, strict: request.strict, pathOf };
  },
  view({ result: { plan, sources }, applied, where, format, strict, pathOf }, terminal) {
    const isObserved = plan.resources.every(({ drift }) => !Object.values(drift).includes("unobservable"));
    const outcome = outcomeText(applied, { where, isObserved });
    if (format === "text" && applied.outcome === "planned") printPlan(plan, where, terminal);
    printProblems(applied, sources, terminal);
    if (format === "text") return terminal.line(outcome);
    const report = appliedReport("formctl apply", applied, { outcome, where, strict });
    printReport(report, format, { pathOf, terminal });
  },
  viewFailure: failureView("formctl apply"),
  document: ({ applied }) => applied,
  names: ({ applied }) => applied.resources.map(({ address }) => address),
  exitCode: ({ applied }) => applied.exitCode,
});

/**
 * Asks the user to confirm the whole plan. Then asks about each change that needs its own confirmation, such as
 * deleting a form.
 *
 * @param rehearsal the result on a copy of the target; undefined if the plan was not rehearsed
 * @throws CONSENT_MISSING if the user declines
 * @throws CONSENT_MISSING if a flag is missing, and the user can't be asked
 */
export async function confirmPlan(
  context: CommandContext,
  { plan, steps, resources, needs }: Proposal,
  rehearsal?: RehearsalDocument,
): Promise<boolean> {
  const { terminal } = context;
  const where = targetText(context.target);
  await confirmNeeds(context, {
    print(screen) {
      printPlan(plan, where, screen);
      if (rehearsal) printRehearsal(rehearsal, new Map(), { ...screen, hint: (text) => terminal.hint(text) });
    },
    question: `Apply ${plural(steps, "step")} to ${plural(resources, "resource")} in ${where}?`,
    needs,
  });
  return true;
}
