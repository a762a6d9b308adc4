/** `formctl migrate status`: compares the migration files with the record on the target. */

import { relative } from "node:path";
import { MAX_FILE_BYTES } from "../../base/file-limits.ts";
import { readWithin } from "../../disk/read-file.ts";
import { readMigrationFolder } from "../../migrations/folder.ts";
import { isCode } from "../../migrations/load.ts";
import { stepNames } from "../../migrations/record.ts";
import { isInSync, migrationStatus, type MigrationState, type MigrationStatus } from "../../migrations/status.ts";
import { plural } from "../../base/plural.ts";
import { printTable } from "../../terminal/table.ts";
import { visible } from "../../terminal/escape.ts";
import { targetText } from "../../config/target.ts";
import { defineCommand, flag } from "../command.ts";
import { failureView, formatOption, printReport, refuseTwoFormats, repositoryPaths } from "../formats/format.ts";
import type { Finding, Report } from "../formats/report.ts";
import { migrationsOf } from "./open-migrations.ts";

export default defineCommand({
  details: `pending: not run on the target. done: it ran. baseline: declared as done without running. running: another process runs
it. interrupted: it began and has not ended; the next run continues it. reverting: formctl migrate down began and has not
ended. The command executes no migration. Of a pending migration in YAML, it shows the operations.

The exit code is 0, or with --detailed-exitcode 2 if a migration is neither done nor baseline, was edited after it ran, or
has no file.`,
  examples: ["formctl migrate status", "formctl migrate status --detailed-exitcode -o json"],
  args: {},
  options: {
    format: formatOption,
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if a migration is pending or differs from the record"),
  },
  async run(context, { detailedExitcode, format = "text" }) {
    refuseTwoFormats(format, context.settings);
    const migrations = migrationsOf(context);
    const files = await readMigrationFolder(migrations);
    const record = await migrations.record();
    const { entries } = await record.read();
    const statuses = await Promise.all(
      migrationStatus(files, entries, context.now()).map(async (status) => ({ ...status, toRun: await toRun(status) })),
    );
    const exitCode = detailedExitcode && !statuses.every(isInSync) ? 2 : 0;
    const pathOf = (path: string) => relative(context.cwd, path);
    const printed = { format, target: targetText(context.target), reportPath: repositoryPaths(context) };
    return { statuses, exitCode, where: record.where, folder: pathOf(migrations.folder), pathOf, ...printed };
  },
  view({ statuses, exitCode, where, folder, pathOf, format, target, reportPath }, terminal) {
    if (format !== "text") {
      const report = statusReport(statuses, { where: target, exitCode, pathOf });
      printReport(report, format, { pathOf: reportPath, terminal });
      return;
    }
    printTable(
      terminal,
      [
        { title: "State", value: ({ state }) => state, essential: true },
        { title: "Migration", value: ({ name }) => name, essential: true },
        { title: "Time", value: ({ entry }) => entry?.endedAt ?? entry?.startedAt ?? null, time: true },
        { title: "By", value: ({ entry }) => entry?.by ?? null, yields: true },
        { title: "Notes", value: (status) => notesOf(status).join("; ") || null, wraps: true },
      ],
      statuses,
      `No migrations in ${visible(folder)}, and none in ${visible(where)}.`,
    );
  },
  viewFailure: failureView("formctl migrate status"),
  document: ({ statuses, exitCode, where, pathOf }) => ({
    exitCode,
    record: where,
    summary: Object.fromEntries(STATES.map((each) => [each, statuses.filter(({ state }) => state === each).length])),
    migrations: statuses.map(({ entry, file, ...status }) => ({
      ...status,
      file: file === undefined ? null : pathOf(file.path),
      startedAt: entry?.startedAt ?? null,
      endedAt: entry?.endedAt ?? null,
      heldUntil: entry?.heldUntil ?? null,
      by: entry?.by ?? null,
      steps: stepNames(entry?.steps ?? []).length,
    })),
  }),
  names: ({ statuses }) => statuses.filter((status) => !isInSync(status)).map(({ name }) => name),
  next({ statuses }) {
    const needsRepair = statuses.some(({ isChanged, isMissing }) => isChanged || isMissing);
    const needsRun = statuses.some(({ state }) => state === "pending" || state === "interrupted");
    const isReverting = statuses.some(({ state, isHeld }) => state === "reverting" && !isHeld);
    return [
      ...(needsRepair ? ["formctl migrate repair"] : []),
      ...(isReverting ? ["formctl migrate down"] : []),
      ...(needsRun ? ["formctl migrate run"] : []),
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

type Row = MigrationStatus & { toRun: readonly string[] | null };

const STATES: readonly MigrationState[] = ["pending", "done", "baseline", "running", "interrupted", "reverting"];

type Facts = { where: string; exitCode: number; pathOf: (path: string) => string };

/** Returns the report: each migration. A migration that differs from the record is a warning. */
function statusReport(statuses: readonly Row[], { where, exitCode, pathOf }: Facts): Report {
  const counts = [...Map.groupBy(statuses, ({ state }) => state)].map(([state, all]) => `${all.length} ${state}`);
  const findings = statuses.map((status): Finding => {
    const { name, state, file } = status;
    const isDifferent = !isInSync(status);
    const level = isDifferent ? "warning" : "none";
    const place = file && { file: pathOf(file.path), line: 1 };
    const message = notesOf(status).join("; ");
    return { subject: name, state, level, fails: isDifferent, message, ...(place && { place }) };
  });
  return {
    title: ["formctl migrate status", "of", where],
    summary: counts.join(", ") || "no migrations",
    exitCode,
    problems: [],
    suites: [{ name: where, findings }],
  };
}

/** Returns what a pending migration in YAML would do. Null for code, which is not executed, and for an invalid file. */
async function toRun({ state, file }: MigrationStatus): Promise<string[] | null> {
  if (state !== "pending" || !file || isCode(file.path)) return null;
  const { readYamlMigration } = await import("../../migrations/yaml.ts");
  try {
    const text = readWithin(file.path, MAX_FILE_BYTES).toString("utf8");
    const { migration, listedSteps } = readYamlMigration(text, file.path);
    if (listedSteps) return listedSteps.map(({ operation }) => operation);
    return ["form", "layout"].filter((member) => member in migration).map((member) => `edit ${member}s`);
  } catch {
    return null;
  }
}

function notesOf({ entry, isChanged, isMissing, isOutOfOrder, isHeld, toRun: operations }: Row): string[] {
  const notes = [];
  if (operations) notes.push(`to run: ${operations.join(", ")}`);
  if (isChanged) notes.push("edited after it ran");
  if (isMissing) notes.push("its file is missing");
  if (isOutOfOrder) notes.push("a later migration ran before it");
  const done = entry?.state === "running" ? stepNames(entry.steps).length : 0;
  if (done > 0) notes.push(`${plural(done, "step")} done`);
  if (isHeld) notes.push(`held until ${entry?.heldUntil}`);
  return notes;
}
