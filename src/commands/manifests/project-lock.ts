/** The lock of the project that a command works in. */

import { join } from "node:path";
import { type Lock, openLock } from "../../manifests/lock.ts";
import type { CommandContext } from "../command.ts";

/** @throws what `openLock` throws */
export function openProjectLock(
  { settings, processes, sleep }: Pick<CommandContext, "settings" | "processes" | "sleep">,
  place: string,
): Promise<Lock> {
  return openLock(join(settings.root, ".formctl", "lock.json"), place, { processes, sleep });
}
