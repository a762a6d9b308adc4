/**
 * `formctl promote`: applies the forms and layouts of one target to another target. Replaces each id with the id of the
 * other target's record of the same name.
 */

import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { targetText } from "../config/target.ts";
import { readDocument } from "../documents/document.ts";
import { LocatedError } from "../documents/located-error.ts";
import { editYaml } from "../documents/edit-yaml.ts";
import { toYaml } from "../documents/write-yaml.ts";
import { writeWhole } from "../disk/write-file.ts";
import { FormctlError } from "../base/error.ts";
import { extendHost } from "../base/host.ts";
import type { Proposal } from "../project/project.ts";
import { preparePromotion, type Promotion } from "../promotion/promote.ts";
import { addReferences } from "../promotion/missing-references.ts";
import { isJsonObject } from "../schemas/json.ts";
import { quoted } from "../base/shell-quote.ts";
import { renderDiagnostics } from "../terminal/diagnostics.ts";
import { visible } from "../terminal/escape.ts";
import { type CommandContext, defineCommand, flag, option } from "./command.ts";
import { concurrencyOption } from "./concurrency.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "./formats/format.ts";
import { type Finding, type Report, withoutPlaces } from "./formats/report.ts";
import { confirmPlan } from "./manifests/apply.ts";
import { appliedDocument } from "./manifests/apply-document.ts";
import { outcomeText, printProblems } from "./manifests/apply-view.ts";
import { confirmationFlags, notCreatedOption } from "./manifests/arguments.ts";
import { projectOptions } from "./manifests/open-project.ts";
import { planDocument } from "./manifests/plan-document.ts";
import { appliedReport, planReport } from "./manifests/plan-report.ts";
import { printPlan } from "./manifests/plan-view.ts";
import { printRehearsal, rehearsalDocument, rehearsalExitCode } from "./manifests/rehearsal-view.ts";
import { openTargets, resourcesArgument, selectionOf, TWO_TARGETS_HELP, twoTargetOptions } from "./two-targets.ts";

const COMMAND = "formctl promote";

export default defineCommand({
  details: `The command exports the source in memory, replaces its ids of roles, members, scripts, fields and modules by those of the
target, by name, and applies the result like manifests: with a plan, confirmations, a journal, and a run that resumes. Local
stores know these names; for servers, they are in references in formctl.yaml. Ids without a name or a counterpart are all
listed before anything is sent; --write-references adds the missing names to formctl.yaml, with placeholders to replace.

Without NAME, everything that --from shows is promoted: all forms, and all layouts that no form owns. What promote.keep in
formctl.yaml names stays as it is on the target.

${TWO_TARGETS_HELP}

The steps are first executed on a copy of the target, as in formctl plan. If the target would refuse one, nothing is applied.
--yes confirms the plan, except for what would be lost, as in formctl apply. --out saves the plan for formctl apply and applies
nothing. To resume an interrupted promotion, run it again.`,
  examples: [
    "formctl promote --from staging --to production",
    "formctl promote --from staging --to production staffing/candidate --out plan.json",
  ],
  args: { names: resourcesArgument },
  options: {
    ...twoTargetOptions,
    out: option("--out <file>", "Save the plan into this file, for apply, and apply nothing"),
    writeReferences: flag("--write-references", "Add the missing names to formctl.yaml, and promote nothing"),
    prune: flag("--prune", "Delete forms of the promoted objects that the source does not have"),
    allowDelete: flag("--allow-delete", "Confirm the deletion of forms"),
    allowReplace: flag("--allow-replace", "Confirm that drafts of other users are overwritten"),
    noPublish: flag("--no-publish", "Save drafts without publishing them"),
    noStamp: flag("--no-stamp", "Leave the metadata of drafts without formctl's stamp"),
    strict: flag("--strict", "Treat warnings as errors"),
    noRehearse: flag("--no-rehearse", "Do not execute the steps on a copy of the target"),
    format: formatOption,
    notCreated: notCreatedOption,
    concurrency: concurrencyOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields of --to"),
  },
  writes: true,
  reportsSteps: true,
  describesDryRun: true,
  async run(context, input) {
    const { names, from: source, to: named, fromTokenFile, concurrency, organizationFile, out, ...rest } = input;
    const { format = "text" } = rest;
    refuseTwoFormats(format, context.settings);
    const { from, to } = await openTargets(context, { from: source, to: named, fromTokenFile });
    const where = targetText(to.context.target);
    const promotion = await preparePromotion(
      {
        ...projectOptions(to.context),
        from,
        to,
        selection: selectionOf(names),
        keep: context.settings.keep,
        concurrency,
        organizationFile,
      },
      context,
    );
    const printed = { format, where, strict: rest.strict, pathOf: repositoryPaths(context) };
    if (rest.writeReferences)
      return { kind: "references" as const, ...(await writeReferences(context, promotion)), ...printed };
    const choices = { prune: rest.prune, publish: !rest.noPublish, stamp: !rest.noStamp, strict: rest.strict };
    const planned = await promotion.project.plan({ ...choices, out, rehearse: !rest.noRehearse });
    const rehearsal = planned.rehearsal && (await rehearsalDocument(context, planned.rehearsal));
    const refused = rehearsal ? rehearsalExitCode(rehearsal) : 0;
    if (out !== undefined || context.dryRun || refused !== 0) {
      return { kind: "plan" as const, result: planned, rehearsal, exitCode: refused, out, to, ...printed };
    }
    // Applies exactly the plan that was shown. If the target changes in the meantime, the plan is stale.
    const request = {
      plan: planned.save(),
      allowDelete: rest.allowDelete,
      allowReplace: rest.allowReplace,
      notCreated: rest.notCreated,
      strict: rest.strict,
      signal: context.ending,
      confirm: (proposal: Proposal) => confirmPlan(to.context, proposal, rehearsal),
    };
    const words = [from.name, "--to", to.name, ...names].map((word) => quoted(word)).join(" ");
    const line = `formctl promote --from ${words}`;
    const result = await promotion.project.apply(request).catch((error: unknown) => {
      throw withNextStep(error, line);
    });
    const describe: CommandContext["describe"] = async (error, hint) => {
      const failure = await context.describe(error, hint);
      return failure.hint === undefined ? failure : { ...failure, hint: withPromotion(failure.hint, line) };
    };
    const applied = await appliedDocument(extendHost(context, { describe }), {
      ...result,
      problems: planned.problems,
      notRun: planned.notRun,
    });
    return { kind: "applied" as const, result, applied, from: from.name, ...printed };
  },
  view(outcome, terminal) {
    const { where, format, strict, pathOf } = outcome;
    // The manifests of a promotion are in no file.
    const print = (report: Report) =>
      format !== "text" &&
      printReport(format === "markdown" ? report : withoutPlaces(report), format, { pathOf, terminal });
    if (outcome.kind === "references") {
      const { file, lines } = outcome;
      if (format !== "text") print(referencesReport(outcome));
      else if (lines !== undefined) terminal.out(lines);
      terminal.hint(
        lines === undefined
          ? `${visible(file)} has all names that the promotion needs.`
          : `Added to ${visible(file)}. Replace the placeholders, then promote again.`,
      );
      return undefined;
    }
    if (outcome.kind === "plan") {
      const { result: planned, rehearsal, exitCode } = outcome;
      const { plan, problems, notRun, sources } = planned;
      terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
      print(planReport("formctl plan", { plan, problems, rehearsal }, { where, exitCode, strict }));
      if (format === "text") printPlan(plan, where, terminal);
      if (rehearsal && format === "text") printRehearsal(rehearsal, sources, terminal);
      if (exitCode !== 0) terminal.hint(REFUSED);
      for (const check of notRun) terminal.hint(`Not checked: ${visible(check)}.`);
      return undefined;
    }
    const { result, applied, from } = outcome;
    const isObserved = result.plan.resources.every(({ drift }) => !Object.values(drift).includes("unobservable"));
    const text = outcomeText(applied, { where, isObserved, desired: from });
    printProblems(applied, result.sources, terminal);
    if (format === "text") terminal.line(text);
    else print(appliedReport("formctl apply", applied, { outcome: text, where, strict }));
    return undefined;
  },
  viewFailure: failureView(COMMAND, { isTwoTargets: true }),
  document(outcome) {
    if (outcome.kind === "applied") return outcome.applied;
    if (outcome.kind === "plan") {
      const { result, rehearsal, exitCode } = outcome;
      return { exitCode, ...planDocument(result), ...(rehearsal && { rehearsal }) };
    }
    const { file, added } = outcome;
    return { exitCode: 0, file, added };
  },
  names(outcome) {
    if (outcome.kind === "references") return [];
    const { resources } = outcome.result.plan;
    return resources.filter(({ action }) => action !== "none").map(({ address }) => address);
  },
  next(outcome) {
    if (outcome.kind !== "plan" || outcome.out === undefined || !outcome.result.hasChanges) return [];
    const { result, out, to } = outcome;
    return [[...applyCommand(to.context), quoted(out), ...confirmationFlags(result.plan)].join(" ")];
  },
  exitCode(outcome) {
    if (outcome.kind === "references") return 0;
    return outcome.kind === "plan" ? outcome.exitCode : outcome.applied.exitCode;
  },
});

const REFUSED =
  "Nothing was applied, because the target would refuse these steps. To apply anyway, add --no-rehearse: a refused step stops its own form or layout.";

/** Returns the report of `--write-references`: the added lines. */
function referencesReport({
  file,
  lines = "",
  where,
}: {
  file: string;
  lines: string | undefined;
  where: string;
}): Report {
  const isAdded = lines !== "";
  const message = isAdded ? "replace the placeholders, then promote again" : "";
  const state = isAdded ? "references added" : "complete";
  const finding: Finding = { subject: file, state, level: isAdded ? "note" : "none", fails: false, message };
  const title = { verb: "add to", name: file, where: "", warning: "" };
  return {
    title: [COMMAND, "for", where],
    summary: isAdded ? `added names to ${file}` : "no name is missing",
    exitCode: 0,
    problems: [],
    suites: [{ name: where, findings: [finding] }],
    details: isAdded ? [{ title, lines: lines.trimEnd().split("\n") }] : [],
  };
}

/** Returns the start of a command line that applies a plan to a target. */
function applyCommand({ target }: Pick<CommandContext, "target">): string[] {
  if (target.profile !== undefined) return ["formctl apply --profile", quoted(target.profile)];
  if (target.kind === "remote") return [`FORMCTL_BASE_URL=${quoted(target.baseUrl)}`, "formctl apply"];
  const organization = target.organization === undefined ? [] : ["--organization", quoted(target.organization)];
  return ["formctl apply --store", quoted(target.store), ...organization];
}

/** Replaces the commands for manifests in a hint by the command line of the promotion. */
function withPromotion(hint: string, line: string): string {
  return hint.replaceAll(/formctl apply PATH|formctl plan( --out FILE)?/g, () => line);
}

function withNextStep(error: unknown, line: string): unknown {
  if (!(error instanceof FormctlError)) return error;
  const hint = error.hint && withPromotion(error.hint, line);
  if (hint === error.hint) return error;
  const { code, message, cause } = error;
  if (!(error instanceof LocatedError)) return new FormctlError(code, message, hint, cause);
  const { location, problems, sources } = error;
  return new LocatedError(code, message, { location, problems, sources, hint, cause });
}

/**
 * Adds the missing names to the project file, except in a dry run. Returns the added part, and the lines of this part.
 * `lines` is undefined if no name is missing.
 */
async function writeReferences(
  { settings, cwd, dryRun }: CommandContext,
  { missingReferences: missing }: Promotion,
): Promise<{ file: string; added: unknown; lines: string | undefined }> {
  const path = settings.files().find(({ kind }) => kind === "project")?.path ?? join(settings.root, "formctl.yaml");
  const file = relative(cwd, path);
  if (!missing) return { file, added: {}, lines: undefined };
  const lines = toYaml(missing);
  if (dryRun) return { file, added: missing, lines };
  if (existsSync(path)) {
    const text = readWithin(path, MAX_FILE_BYTES).toString("utf8");
    const { value } = readDocument(text, file);
    await writeWhole(
      path,
      editYaml(text, 0, addReferences(isJsonObject(value) ? value : {}, missing)),
      statSync(path).mode,
    );
  } else await writeWhole(path, lines, 0o644);
  return { file, added: missing, lines };
}
