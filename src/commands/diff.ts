/** `formctl diff`: compares two targets by meaning. */

import { type DiffResult, type Difference, diffTargets } from "../promotion/diff.ts";
import { quoted } from "../base/shell-quote.ts";
import { plural } from "../base/plural.ts";
import { diffLines, renderDiff } from "../terminal/diff.ts";
import { safeLine, visible } from "../terminal/escape.ts";
import { startProgress } from "../terminal/progress.ts";
import type { Style } from "../terminal/style.ts";
import { defineCommand, flag } from "./command.ts";
import { concurrencyOption } from "./concurrency.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "./formats/format.ts";
import type { Finding, Report } from "./formats/report.ts";
import { openTargets, resourcesArgument, selectionOf, TWO_TARGETS_HELP, twoTargetOptions } from "./two-targets.ts";

export default defineCommand({
  details: `The command compares forms, and layouts that no form owns, by their names. Roles, members, scripts and fields with the same
name are equal, whatever their ids are; references in formctl.yaml has the names for servers. Without NAME, it compares
everything that --from shows. It writes nothing.

${TWO_TARGETS_HELP}

Differences that promote.keep in formctl.yaml keeps are left out, unless --all is specified. The exit code is 0, or with
--detailed-exitcode 2 if something is different.`,
  examples: [
    "formctl diff --from staging --to production",
    "formctl diff --from staging --to ./production.db#northwind staffing/candidate",
  ],
  args: { names: resourcesArgument },
  options: {
    ...twoTargetOptions,
    all: flag("--all", "Also compare what promote.keep keeps"),
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if something is different"),
    format: formatOption,
    concurrency: concurrencyOption,
  },
  async run(context, { names, all, detailedExitcode, concurrency, format = "text", ...named }) {
    refuseTwoFormats(format, context.settings);
    const { from, to } = await openTargets(context, named);
    const progress = startProgress(context.terminal, { label: "Reading both targets" });
    try {
      const result = await diffTargets({
        from,
        to,
        selection: selectionOf(names),
        keep: all ? {} : context.settings.keep,
        concurrency,
        onProgress: (done, total) => progress.update(done, undefined, total),
      });
      const exitCode = detailedExitcode && result.hasDifferences ? 2 : 0;
      return { result, exitCode, format, pathOf: repositoryPaths(context) };
    } finally {
      progress.stop();
    }
  },
  view({ result, exitCode, format, pathOf }, terminal) {
    const { from, to, differences, notes } = result;
    if (format !== "text") {
      printReport(diffReport(result, exitCode), format, { pathOf, terminal });
      return;
    }
    terminal.line(`Differences from ${terminal.style.bold(visible(from))} to ${terminal.style.bold(visible(to))}\n`);
    for (const each of differences) {
      if (each.state !== "equal") terminal.out(blockOf(each, result, terminal.style));
    }
    for (const note of notes) terminal.warn(`not compared: ${visible(note)}`);
    terminal.line(terminal.style.bold(summaryText(result)));
  },
  viewFailure: failureView("formctl diff", { isTwoTargets: true }),
  document: ({ result: { from, to, differences, notes }, exitCode }) => ({
    exitCode,
    from,
    to,
    summary: countStates(differences),
    differences,
    notes,
  }),
  names: ({ result }) => result.differences.filter(({ state }) => state !== "equal").map(({ address }) => address),
  next: ({ result: { differences } }, { from, to, names }) => {
    if (!differences.some(({ state }) => state === "different" || state === "onlyInFrom")) return [];
    return [
      ["formctl promote --from", quoted(from), "--to", quoted(to), ...names.map((name) => quoted(name))].join(" "),
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

function countStates(differences: readonly Difference[]): Record<Difference["state"], number> {
  const counts = { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: 0, unknown: 0 };
  for (const { state } of differences) counts[state]++;
  return counts;
}

/** Returns the report: each compared form and layout. A difference is a warning. */
function diffReport(result: DiffResult, exitCode: number): Report {
  const { from, to, differences, notes } = result;
  const words = {
    equal: "equal",
    different: "different",
    onlyInFrom: "only in --from",
    onlyInTo: "only in --to",
    unknown: "not shown completely",
  };
  const findings = differences.map(({ address, state, changes, notes: facts }): Finding => {
    const isDifferent = state !== "equal" && state !== "unknown";
    const counts = changes.length > 0 ? [plural(changes.length, "change")] : [];
    return {
      subject: address,
      state: words[state],
      level: isDifferent ? "warning" : state === "unknown" ? "note" : "none",
      fails: isDifferent,
      message: [...counts, ...facts].join("; "),
    };
  });
  const omitted = notes.map((note): Finding => {
    return { subject: to, state: "not compared", level: "note", fails: false, message: note };
  });
  const changed = differences.filter(({ state }) => state === "different");
  return {
    title: ["formctl diff", "from", `${from} to ${to}`],
    summary: summaryText(result),
    exitCode,
    problems: [],
    suites: [{ name: `${from} to ${to}`, findings: [...findings, ...omitted] }],
    details: changed.map(({ address, changes }) => ({
      title: { verb: "different", name: address, where: "", warning: "" },
      lines: diffLines(changes),
    })),
  };
}

function summaryText({ from, to, differences }: DiffResult): string {
  const { onlyInFrom, onlyInTo, different, equal, unknown } = countStates(differences);
  const others = unknown === 0 ? "" : `, ${unknown} equal as far as ${to} shows it`;
  return visible(
    `${onlyInFrom} only in ${from}, ${onlyInTo} only in ${to}, ${different} different; ${equal} equal${others}`,
  );
}

const INDENT = "    ";

function blockOf({ address, kind, state, changes, notes }: Difference, { from, to }: DiffResult, style: Style): string {
  const mark =
    state === "onlyInFrom"
      ? style.green(`+ only in ${visible(from)}`)
      : state === "onlyInTo"
        ? style.red(`- only in ${visible(to)}`)
        : state === "unknown"
          ? style.dim("? not shown completely")
          : style.yellow("~ different");
  const lines = [
    ...renderDiff(changes, style).split("\n").slice(0, -1),
    ...notes.map((note) => `${style.dim("i")} ${visible(note)}`),
  ];
  const title = `${mark}  ${kind.toLowerCase()} ${style.bold(visible(address))}`;
  return `${safeLine(title)}\n${lines.map((line) => `${INDENT}${safeLine(line)}\n`).join("")}\n`;
}
