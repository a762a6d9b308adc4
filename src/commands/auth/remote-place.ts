/** The server that a command about tokens is about. */

import type { RemotePlace } from "../../config/target.ts";
import { type CommandContext, UsageError } from "../command.ts";

/** @throws UsageError where the target is a local store, which needs no token */
export function remotePlace({ target }: Pick<CommandContext, "target">): RemotePlace {
  if (target.kind === "remote") return target;
  throw new UsageError(
    "a local store needs no token",
    "Name a server: --profile NAME. Add one: formctl profiles add NAME --base-url URL",
  );
}

/** Whether the environment has a token that is sent instead of what is stored (config/token.ts). */
export function isOverruled(context: Pick<CommandContext, "target" | "env">): boolean {
  return Boolean(context.env["FORMCTL_TOKEN"]) && remotePlace(context).namedBy !== "project";
}
