/** `formctl migrate plan`: shows what the due migrations would change. */

import { targetText } from "../../config/target.ts";
import { resolve } from "node:path";
import { requirePlanFile, writePlanFile } from "../../manifests/plan/plan-file.ts";
import { quoted } from "../../shell-quote.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { defineCommand, flag, option } from "../command.ts";
import { executableMigrations } from "./open-migrations.ts";
import { acceptanceFlags, acceptances, concurrency, to } from "./options.ts";
import { plannedDocument, printMigrationsPlan } from "./plan-view.ts";

export default defineCommand({
  details: `Executes the files of the due migrations, and writes nothing on the target. A transform is shown as formctl plan shows
manifests: each form and layout with the changes of its content. The steps of a script are known when it runs.

--out saves the plan into a file for formctl migrate run, which refuses it if the migrations, the record of the target or
the changes of a transform differ by then. The exit code is 0, or with --detailed-exitcode 2 if migrations are due.`,
  examples: [
    "formctl migrate plan",
    "formctl migrate plan --detailed-exitcode",
    "formctl migrate plan --out migrations.plan.json",
  ],
  args: {},
  options: {
    to,
    out: option("--out <file>", "Save the plan into this file, for migrate run"),
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if migrations are due"),
    ...acceptances,
    concurrency,
  },
  async run(context, { out, detailedExitcode, concurrency: limit, ...request }) {
    const path = out === undefined ? undefined : resolve(context.cwd, out);
    if (path !== undefined) await requirePlanFile(path);
    const plan = await executableMigrations(context, limit).plan(request);
    if (path !== undefined) await writePlanFile(path, plan.save());
    const exitCode = detailedExitcode && plan.migrations.length > 0 ? 2 : 0;
    return { plan, where: targetText(context.target), cwd: context.cwd, exitCode };
  },
  view({ plan, where }, terminal) {
    for (const { problems } of plan.migrations)
      terminal.err(renderDiagnostics(problems, new Map(), terminal.errStyle, terminal.errWidth));
    if (plan.migrations.length === 0) terminal.out(`No migrations are due on ${where}.\n`);
    else printMigrationsPlan(plan, where, terminal);
  },
  document: ({ plan: { target, record, migrations }, cwd, exitCode }) => ({
    exitCode,
    place: target,
    record,
    migrations: migrations.map((migration) => plannedDocument(migration, cwd)),
  }),
  names: ({ plan }) => plan.migrations.map(({ name }) => name),
  next: ({ plan }, { out, to: last, ...flags }) => {
    if (plan.migrations.length === 0) return [];
    const words = [
      ...(out === undefined ? [] : [quoted(out)]),
      ...(out === undefined && last !== undefined ? ["--to", quoted(last)] : []),
      ...acceptanceFlags(flags),
    ];
    return [["formctl migrate run", ...words].join(" ")];
  },
  exitCode: ({ exitCode }) => exitCode,
});
