/** `formctl migrate status`: compares the migration files with the record on the target. */

import { relative } from "node:path";
import { readMigrationFolder } from "../../migrations/folder.ts";
import { stepNames } from "../../migrations/record.ts";
import { isInSync, migrationStatus, type MigrationState, type MigrationStatus } from "../../migrations/status.ts";
import { plural } from "../../base/plural.ts";
import { printTable } from "../../terminal/table.ts";
import { visible } from "../../terminal/escape.ts";
import { defineCommand, flag } from "../command.ts";
import { migrationsOf } from "./open-migrations.ts";

export default defineCommand({
  details: `pending: not run on the target. done: it ran. baseline: declared as done without running. running: another process runs
it. interrupted: it began and has not ended; the next run continues it. reverting: formctl migrate down began and has not
ended. The command reads names and checksums, and executes no migration.

The exit code is 0, or with --detailed-exitcode 2 if a migration is neither done nor baseline, was edited after it ran, or
has no file.`,
  examples: ["formctl migrate status", "formctl migrate status --detailed-exitcode -o json"],
  args: {},
  options: {
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if a migration is pending or differs from the record"),
  },
  async run(context, { detailedExitcode }) {
    const migrations = migrationsOf(context);
    const files = await readMigrationFolder(migrations);
    const record = await migrations.record();
    const { entries } = await record.read();
    const statuses = migrationStatus(files, entries, context.now());
    const exitCode = detailedExitcode && !statuses.every(isInSync) ? 2 : 0;
    const pathOf = (path: string) => relative(context.cwd, path);
    return { statuses, exitCode, where: record.where, folder: pathOf(migrations.folder), pathOf };
  },
  view({ statuses, where, folder }, terminal) {
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

const STATES: readonly MigrationState[] = ["pending", "done", "baseline", "running", "interrupted", "reverting"];

function notesOf({ entry, isChanged, isMissing, isOutOfOrder, isHeld }: MigrationStatus): string[] {
  const notes = [];
  if (isChanged) notes.push("edited after it ran");
  if (isMissing) notes.push("its file is missing");
  if (isOutOfOrder) notes.push("a later migration ran before it");
  const done = entry?.state === "running" ? stepNames(entry.steps).length : 0;
  if (done > 0) notes.push(`${plural(done, "step")} done`);
  if (isHeld) notes.push(`held until ${entry?.heldUntil}`);
  return notes;
}
