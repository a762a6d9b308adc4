/** `formctl plan`: shows the changes needed to match manifests. */

import { targetText } from "../../config/target.ts";
import { quoted } from "../../base/shell-quote.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import { defineCommand, flag, list, option } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { openPageFile } from "../page-file.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import { type Choices, chosenArguments, confirmationFlags, pathsArgument } from "./arguments.ts";
import { projectOf } from "./open-project.ts";
import { planDocument } from "./plan-document.ts";
import { planReport } from "./plan-report.ts";
import { printPlan } from "./plan-view.ts";
import { folderOf, nextForChanges, nextForUnclear, revertsChanges } from "./target-changes.ts";
import { printRehearsal, rehearsalDocument, rehearsalExitCode } from "./rehearsal-view.ts";

export default defineCommand({
  details: `PATH is a file or a folder of manifests. Without one, the folder is the one that the project file sets as manifests. The
command reads the current state and writes nothing. For each form and layout that would change it shows the fields and
blocks, the consequences of rules (! lines), what can't be read from the server or was changed by another user (i
lines), and the flags that apply requires in addition to --yes (? lines).

The steps are then executed on a copy of the target, under the full rules of the service. Each refusal that the target would
give is reported at the line of the manifest, with its status and code, and the effects are listed: modes that can be used, or
no longer, defaults, access, fields and values. The copy of a server contains what was read of it, and the fields, kinds and
roles of the organization file. What it does not know is listed; a refusal that depends on it is a warning. --no-rehearse leaves
the rehearsal out.

--out saves the plan into a file for formctl apply, which refuses it if anything has changed by then. The exit code is that of
the first refusal, else 0, or with --detailed-exitcode 2 if there are changes. --html writes one page for reviewers, which shows each changed layout as a
form, before and after the plan. A browser opens it without a server.`,
  examples: [
    "formctl plan forms",
    "formctl plan forms --detailed-exitcode --format markdown",
    "formctl plan forms --out plan.json",
    "formctl plan forms --html plan.html",
  ],
  args: { paths: pathsArgument("Files and folders of manifests") },
  options: {
    out: option("--out <file>", "Save the plan into this file, for apply"),
    html: option("--html <file>", "Write a page that shows the changed layouts as forms"),
    format: formatOption,
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if there are changes"),
    prune: flag("--prune", "Delete forms of the same objects that no manifest describes, in PATH or next to it"),
    target: list("--target <address>", "Only this form or layout, by its address in a plan; repeatable"),
    noPublish: flag("--no-publish", "Save drafts without publishing them"),
    noStamp: flag("--no-stamp", "Leave the metadata of drafts without formctl's stamp"),
    strict: flag("--strict", "Treat warnings as errors"),
    noRehearse: flag("--no-rehearse", "Do not execute the steps on a copy of the target"),
    concurrency: concurrencyOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, input) {
    const {
      paths,
      out,
      html,
      format = "text",
      detailedExitcode,
      noPublish,
      noStamp,
      target,
      noRehearse,
      ...rest
    } = input;
    refuseTwoFormats(format, context.settings);
    const { organizationFile, concurrency, prune, strict } = rest;
    const page = html === undefined ? undefined : await openPageFile(context, html);
    const result = await projectOf(context, { organizationFile, concurrency }).plan({
      paths,
      out,
      prune,
      strict,
      targets: target,
      publish: !noPublish,
      stamp: !noStamp,
      rehearse: !noRehearse,
    });
    const where = targetText(context.target);
    const rehearsal = result.rehearsal && (await rehearsalDocument(context, result.rehearsal));
    if (page) await page.write((await import("./plan-page.ts")).planPage(result, where, rehearsal));
    const refused = rehearsal ? rehearsalExitCode(rehearsal) : 0;
    const exitCode = refused !== 0 ? refused : detailedExitcode && result.hasChanges ? 2 : 0;
    const pathOf = repositoryPaths(context);
    return { result, rehearsal, where, exitCode, format, strict, html, pathOf, into: folderOf(context, paths) };
  },
  view({ result, rehearsal, where, exitCode, format, strict, html, pathOf }, terminal) {
    const { plan, problems, notRun, sources } = result;
    terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
    if (format === "text") {
      printPlan(plan, where, terminal);
      if (rehearsal) printRehearsal(rehearsal, sources, terminal);
    } else {
      const report = planReport("formctl plan", { plan, problems, rehearsal }, { where, exitCode, strict });
      printReport(report, format, { pathOf, terminal });
    }
    for (const check of notRun) terminal.hint(`Not checked: ${visible(check)}.`);
    if (html !== undefined) terminal.hint(`Wrote the page ${visible(html)}.`);
  },
  viewFailure: failureView("formctl plan"),
  document: ({ result, rehearsal, exitCode }) => ({
    exitCode,
    ...planDocument(result),
    ...(rehearsal && { rehearsal }),
  }),
  names: ({ result }) => result.plan.resources.filter(({ action }) => action !== "none").map(({ address }) => address),
  next: ({ result: { plan, hasChanges, unansweredCreations }, rehearsal, format, into }, input) => {
    // If the target would certainly refuse a step, the hint of that refusal states the next step.
    const isRefused = rehearsal?.refusals.some(({ isCertain }) => isCertain) ?? false;
    if (!hasChanges || isRefused || format !== "text") return [];
    if (revertsChanges(plan)) return nextForChanges(plan, into);
    const apply = ["formctl apply", ...applyArguments(input), ...confirmationFlags(plan)].join(" ");
    if (unansweredCreations.length === 0) {
      const choices = nextForUnclear(plan, apply, into);
      return choices.length > 0 ? choices : [apply];
    }
    const answers = unansweredCreations.map((answer) => ` --not-created ${quoted(answer)}`).join("");
    return [
      "formctl export LAYOUT_ID --into FOLDER  # if the layout exists although its creation was not answered",
      `${apply}${answers}  # if none of these layouts exists`,
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/**
 * Returns the arguments for `formctl apply`. These are the saved plan, or without a saved plan the paths and options of
 * this command.
 */
function applyArguments({ out, ...choices }: Choices & { out: string | undefined; strict: boolean }): string[] {
  if (out === undefined) return chosenArguments(choices);
  return [quoted(out), ...(choices.strict ? ["--strict"] : [])];
}
