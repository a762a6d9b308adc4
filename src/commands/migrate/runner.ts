/** Opens the migrations of the project for the target that the settings select. */

import type { MigrationsProgress } from "../../migrations/context.ts";
import { type Migrations, openMigrations } from "../../migrations/migrate.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import { progressPrinter, targetOf, warningPrinter } from "../manifests/open-project.ts";
import { migrationsOf } from "./open-migrations.ts";

export function runnerOf(context: CommandContext, concurrency: number | undefined): Migrations {
  const { cwd, terminal } = context;
  const { root, folder, record } = migrationsOf(context);
  return openMigrations(
    {
      root,
      cwd,
      folder,
      record,
      target: targetOf(context),
      concurrency,
      library: () => context.library(),
      print: (text) => terminal.err(text),
      onProgress: migrationsProgress(terminal),
      onWarning: warningPrinter(context),
    },
    context,
  );
}

function migrationsProgress(terminal: Terminal): (progress: MigrationsProgress) => void {
  const print = progressPrinter(terminal);
  return (progress) => {
    if (progress.stage === "migrating") {
      const { name, number, total } = progress;
      terminal.hint(`Migration ${number} of ${total}: ${visible(name)}`);
    } else if (progress.stage === "step") terminal.hint(`done: ${visible(progress.step)}`);
    else print(progress);
  };
}
