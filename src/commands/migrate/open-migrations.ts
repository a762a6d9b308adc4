/** Opens the migrations of the project and their record on the target that the settings select. */

import type { RecordContext } from "../../migrations/baseline.ts";
import { openRecord } from "../../migrations/open-record.ts";
import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { targetOf } from "../manifests/open-project.ts";

export function migrationsOf(context: CommandContext): RecordContext {
  const { settings, terminal } = context;
  const { root, migrations: folder } = settings;
  const target = targetOf(context);
  const onWarning = ({ message }: { message: string }) => terminal.warn(visible(message));
  return {
    root,
    folder,
    record: () => openRecord({ target, root, folder, host: context, onWarning }),
    host: context,
  };
}
