/** The server that a command about tokens is about. */

import { FormctlError } from "../../error.ts";
import type { RemoteTarget } from "../../config/target.ts";
import type { CommandContext } from "../command.ts";

/** @throws USAGE where the target is a local store, which needs no token */
export function remotePlace({ target }: Pick<CommandContext, "target">): RemoteTarget {
  if (target.kind === "remote") return target;
  throw new FormctlError(
    "USAGE",
    "a local store needs no token",
    "Name a server: --profile NAME. Add one: formctl profiles add NAME --base-url URL",
  );
}

/** Whether the environment has a token that is sent instead of what is stored (config/token.ts). */
export function isOverruled(context: Pick<CommandContext, "target" | "env">): boolean {
  return Boolean(context.env["FORMCTL_TOKEN"]) && remotePlace(context).namedBy !== "project";
}
