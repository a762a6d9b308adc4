/** The lock of the project that a command works in. */

import { join } from "node:path";
import { type Lock, type ManifestFiles, openLock } from "../../manifests/lock.ts";
import type { CommandContext } from "../command.ts";

/** @throws what `openLock` throws */
export function openProjectLock(
  { settings, processes, sleep }: Pick<CommandContext, "settings" | "processes" | "sleep">,
  place: string,
  manifestFiles?: ManifestFiles,
): Promise<Lock> {
  return openLock(join(settings.root, ".formctl", "lock.json"), place, { processes, sleep }, manifestFiles);
}

/** The same for the files of manifests. @throws what `openLock` throws */
export function openBases(
  context: CommandContext,
  place: string,
  read: Pick<ManifestFiles, "files" | "manifests">,
): Promise<Lock> {
  return openProjectLock(context, place, { root: context.settings.root, cwd: context.cwd, ...read });
}
