/** Opens the migrations of the project and their record on the target that the settings select. */

import type { RecordContext } from "../../migrations/baseline.ts";
import type { MigrationsProgress } from "../../migrations/context.ts";
import { type Migrations, openMigrations } from "../../migrations/migrate.ts";
import { openRecord } from "../../migrations/open-record.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import { progressPrinter, targetOf, warningPrinter } from "../manifests/open-project.ts";

export function migrationsOf(context: CommandContext): RecordContext {
  const { settings, terminal } = context;
  const { root, migrations: folder } = settings;
  const target = targetOf(context);
  const onWarning = ({ message }: { message: string }) => terminal.warn(visible(message));
  return {
    root,
    folder,
    record() {
      const recorded = { ...target, service: () => context.recordService() };
      return openRecord({ target: recorded, root, folder, host: context, onWarning });
    },
    host: context,
  };
}

/** Opens the operations that execute migrations. The progress and the output of migrations are printed on stderr. */
export function executableMigrations(context: CommandContext, concurrency: number | undefined): Migrations {
  const { cwd, terminal } = context;
  return openMigrations(
    {
      ...migrationsOf(context),
      cwd,
      target: targetOf(context),
      rehearse: context.rehearse,
      concurrency,
      library: () => context.library(),
      print: (text) => terminal.err(text),
      onProgress: progressOn(terminal),
      onWarning: warningPrinter(context),
    },
    context,
  );
}

function progressOn(terminal: Terminal): (progress: MigrationsProgress) => void {
  const print = progressPrinter(terminal);
  return (progress) => {
    if (progress.stage === "migrating") {
      const { name, number, total } = progress;
      terminal.hint(`Migration ${number} of ${total}: ${visible(name)}`);
    } else if (progress.stage === "step") terminal.hint(`done: ${visible(progress.step)}`);
    else print(progress);
  };
}
