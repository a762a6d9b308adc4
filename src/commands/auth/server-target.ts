/** The server that an auth command works on. */

import { FormctlError } from "../../error.ts";
import type { RemoteTarget } from "../../config/target.ts";
import type { CommandContext } from "../command.ts";

/** @throws USAGE when the target is a local store, which needs no token */
export function serverTarget({ target }: Pick<CommandContext, "target">): RemoteTarget {
  if (target.kind === "remote") return target;
  throw new FormctlError(
    "USAGE",
    "auth commands need a server, and the target is a local store",
    "Specify a server: --profile NAME. Add a profile: formctl profiles add NAME --base-url URL",
  );
}

/** Whether the token of the environment is sent instead of the stored one (config/token.ts). */
export function isOverridden(context: Pick<CommandContext, "target" | "env">): boolean {
  return Boolean(context.env["FORMCTL_TOKEN"]) && serverTarget(context).namedBy !== "project";
}
