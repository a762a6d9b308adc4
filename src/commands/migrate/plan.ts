/** `formctl migrate plan`: shows what the due migrations would change. */

import { targetText } from "../../config/target.ts";
import { resolve } from "node:path";
import { FormctlError } from "../../base/error.ts";
import { quoted } from "../../base/shell-quote.ts";
import { visible } from "../../terminal/escape.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { defineCommand, flag, option } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import { printRehearsal } from "../manifests/rehearsal-view.ts";
import { executableMigrations } from "./open-migrations.ts";
import { acceptanceFlags, acceptances, to } from "./options.ts";
import { foretoldExitCode, joinRehearsals, plannedDocument, printMigrationsPlan, rehearsalsOf } from "./plan-view.ts";
import { migrationsPlanReport } from "./reports.ts";
import { printFailureOf, textsOf } from "./results.ts";
import { requirePlanFile, writePlanFile } from "../../plan/seal.ts";

const COMMAND = "formctl migrate plan";

export default defineCommand({
  details: `Executes the files of the due migrations, and writes nothing on the target. A transform is shown as formctl plan shows
manifests: each form and layout with the changes of its content. On a local store, the migrations are executed on a copy,
one after the other: the plan of each is based on what those before it leave, the writes of a script are listed, and a
refusal is printed at the line that causes it. On a server, each transform is rehearsed alone, and scripts are not.

--no-code executes no code, for migrations that are not reviewed yet: those in YAML are planned, and those in TypeScript and
JavaScript are only listed.

--out saves the plan into a file for formctl migrate run, which refuses it if the migrations, the record of the target or
the changes of a transform differ by then. On a server, the changes of a transform that depend on migrations before it are
not part of the file. The exit code is 0, or with --detailed-exitcode 2 if migrations are due.`,
  examples: [
    "formctl migrate plan",
    "formctl migrate plan --detailed-exitcode",
    "formctl migrate plan --out migrations.plan.json",
  ],
  args: {},
  options: {
    to,
    out: option("--out <file>", "Save the plan into this file, for migrate run"),
    format: formatOption,
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if migrations are due"),
    noCode: flag("--no-code", "Execute no code: plan the migrations in YAML, and list the others"),
    noRehearse: flag("--no-rehearse", "Do not execute the migrations on a copy of the target"),
    ...acceptances,
    concurrency: concurrencyOption,
  },
  async run(context, { out, detailedExitcode, noCode, noRehearse, concurrency: limit, format = "text", ...request }) {
    refuseTwoFormats(format, context.settings);
    if (noCode && out !== undefined)
      throw new FormctlError(
        "USAGE",
        "--no-code and --out can't be combined: a saved plan contains every migration",
        "Remove one of them.",
      );
    const path = out === undefined ? undefined : resolve(context.cwd, out);
    if (path !== undefined) await requirePlanFile(path, context.settings.root);
    const plan = await executableMigrations(context, limit).plan({ ...request, code: !noCode, rehearse: !noRehearse });
    if (path !== undefined) await writePlanFile(path, plan.save());
    const rehearsals = await rehearsalsOf(context, plan);
    const pending = detailedExitcode && plan.migrations.length > 0 ? 2 : 0;
    const exitCode = foretoldExitCode(rehearsals) || pending;
    return {
      plan,
      rehearsals,
      where: targetText(context.target),
      cwd: context.cwd,
      exitCode,
      isSaved: path !== undefined,
      format,
      pathOf: repositoryPaths(context),
    };
  },
  view({ plan, rehearsals, where, cwd, exitCode, isSaved, format, pathOf }, terminal) {
    for (const { problems, sources } of plan.migrations)
      terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
    if (format !== "text") {
      const report = migrationsPlanReport(COMMAND, plan.migrations, rehearsals, { where, exitCode, cwd });
      return printReport(report, format, { pathOf, terminal });
    }
    if (plan.migrations.length === 0) return terminal.line(`No migrations are due on ${where}.`);
    printMigrationsPlan(plan, where, terminal, rehearsals);
    for (const { name, isProvisional } of isSaved ? plan.migrations : [])
      if (isProvisional)
        terminal.warn(
          `the saved plan does not contain the changes of ${visible(name)}: they depend on the migrations before it`,
        );
    const sources = new Map(plan.migrations.flatMap((migration) => [...migration.sources]));
    printRehearsal(joinRehearsals(rehearsals), sources, terminal);
    for (const [index, { name, rehearsed }] of plan.migrations.entries()) {
      const failure = rehearsals[index]?.failure;
      if (failure) printFailureOf(name, failure, textsOf([rehearsed?.failure]), terminal);
    }
  },
  viewFailure: failureView(COMMAND),
  document: ({ plan: { target, record, migrations }, rehearsals, cwd, exitCode }) => ({
    exitCode,
    target,
    record,
    migrations: migrations.map((migration, index) => plannedDocument(migration, cwd, rehearsals[index])),
  }),
  names: ({ plan }) => plan.migrations.map(({ name }) => name),
  next: ({ plan }, { out, to: last, noCode, ...flags }) => {
    if (plan.migrations.length === 0 || noCode) return [];
    const words = [
      ...(out === undefined ? [] : [quoted(out)]),
      ...(out === undefined && last !== undefined ? ["--to", quoted(last)] : []),
      ...acceptanceFlags(flags),
    ];
    return [["formctl migrate run", ...words].join(" ")];
  },
  exitCode: ({ exitCode }) => exitCode,
});
