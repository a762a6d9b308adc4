/** The lock of the project that a command works in. */

import { join } from "node:path";
import { basesOf, type BasesOptions, type Lock } from "../../manifests/lock.ts";
import { type Lock, openLock } from "../../manifests/lock.ts";
import type { CommandContext } from "../command.ts";

/** @throws what `openLock` throws */
export function openProjectLock(
  { settings, processes, sleep }: Pick<CommandContext, "settings" | "processes" | "sleep">,
  place: string,
): Promise<Lock> {
  return openLock(join(settings.root, ".formctl", "lock.json"), place, { processes, sleep });
}

/** The same as the files of manifests see it. @throws what `openLock` throws */
export async function openBases(
  context: CommandContext,
  place: string,
  seenBy: Pick<BasesOptions, "files" | "manifests">,
): Promise<Lock> {
  const { cwd, settings } = context;
  return basesOf(await openProjectLock(context, place), { root: settings.root, cwd, ...seenBy });
}
