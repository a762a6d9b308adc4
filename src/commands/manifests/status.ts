/**
 * `formctl status`: prints one line for each manifest. The line states what changed since the last apply, and whether
 * the files or the target changed.
 */

import { targetText } from "../../config/target.ts";
import { type Drift, isDrifted, STATES } from "../../plan/planned.ts";
import type { ResourceStatus, StatusResult } from "../../project/project.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand, flag, list, option } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import type { Report } from "../formats/report.ts";
import { chosenArguments, pathsArgument } from "./arguments.ts";
import { projectOf } from "./open-project.ts";
import { folderOf, nextForChanges } from "./target-changes.ts";

export default defineCommand({
  details: `in sync: no difference. changed in files: the manifest changed since the last apply or export. changed on target:
another user changed the form or layout on the target. conflict: both changed. differs: neither the stamp in the layout
nor the lock in .formctl shows which side changed. missing: apply would create it. unobservable: the server does
not show all of it. The command writes nothing.

--format markdown prints the table for an issue or a job summary. In the other formats, each difference is a warning.

The exit code is 0, or with --detailed-exitcode 2 if anything is neither in sync nor unobservable.`,
  examples: ["formctl status forms", "formctl status forms --detailed-exitcode --format markdown"],
  args: { paths: pathsArgument("Files and folders of manifests") },
  options: {
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if there are differences"),
    format: formatOption,
    target: list("--target <address>", "Only this form or layout, by its address in a plan; repeatable"),
    noPublish: flag("--no-publish", "Compare drafts instead of published versions"),
    concurrency: concurrencyOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { paths, detailedExitcode, target: targets, noPublish, format = "text", ...options }) {
    refuseTwoFormats(format, context.settings);
    const result = await projectOf(context, options).status({ paths, targets, publish: !noPublish });
    const hasDrifted = result.resources.some(({ state }) => isDrifted(state));
    const exitCode = detailedExitcode && hasDrifted ? 2 : 0;
    const [where, pathOf] = [targetText(context.target), repositoryPaths(context)];
    return { result, hasDrifted, exitCode, format, where, pathOf, into: folderOf(context, paths) };
  },
  view({ result, exitCode, format, where, pathOf }, terminal) {
    const { resources, problems, sources } = result;
    terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
    if (format !== "text") return printReport(statusReport(result, where, exitCode), format, { pathOf, terminal });
    printTable(
      terminal,
      [
        { title: "State", value: ({ state }) => state, essential: true },
        { title: "Manifest", value: ({ address }) => address, essential: true },
        { title: "What", value: differenceText, wraps: true },
      ],
      resources,
      "",
    );
  },
  viewFailure: failureView("formctl status"),
  document: ({ result: { resources, target, problems }, exitCode }) => ({
    exitCode,
    target,
    summary: Object.fromEntries(STATES.map((state) => [state, resources.filter((row) => row.state === state).length])),
    resources,
    problems,
  }),
  names: ({ result }) => result.resources.filter(({ state }) => isDrifted(state)).map(({ address }) => address),
  next: ({ result: { plan }, hasDrifted, into }, { paths, target, noPublish, organizationFile }) => {
    if (!hasDrifted) return [];
    const choices = chosenArguments({ paths, target, noPublish, organizationFile });
    return [["formctl plan", ...choices].join(" "), ...nextForChanges(plan, into)];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** Returns the report: the number of resources in each state, and the resources that are not in sync. */
function statusReport({ resources, problems, plan }: StatusResult, where: string, exitCode: number): Report {
  const places = new Map(plan.resources.map(({ address, place }) => [address, place]));
  const counts = [...Map.groupBy(resources, ({ state }) => state)].map(([state, all]) => `${all.length} ${state}`);
  const findings = resources.map((resource) => {
    const { address, state } = resource;
    const place = places.get(address);
    const isDifferent = isDrifted(state);
    const level = isDifferent ? ("warning" as const) : ("none" as const);
    const message = differenceText(resource);
    return { subject: address, state, level, fails: isDifferent, message, ...(place && { place }) };
  });
  const rows = findings
    .filter(({ state }) => state !== "in sync")
    .map(({ state, subject, message }) => [state, subject, message]);
  return {
    title: ["formctl status", "of", where],
    summary: counts.join(", ") || "no manifests",
    exitCode,
    problems,
    suites: [{ name: where, findings }],
    tables: [{ titles: ["State", "Manifest", "Differences"], rows }],
  };
}

const DRIFT_WORDS: Record<Drift, string> = {
  same: "in sync",
  files: "changed in files",
  target: "changed on target",
  both: "conflict",
  differs: "differs",
  missing: "missing",
  unobservable: "unobservable",
};

/**
 * Returns the aspects that differ. An aspect is a part of a resource, such as the name or the content. Returns the
 * notes if no aspect differs. Also returns the notes for a resource that is missing on the target, because every aspect
 * would differ.
 */
function differenceText({ state, drift, notes }: ResourceStatus): string {
  const different = state === "missing" ? [] : Object.entries(drift).filter(([, each]) => each !== "same");
  return different.map(([aspect, each]) => `${aspect}: ${DRIFT_WORDS[each]}`).join(", ") || notes.join("; ");
}
