/** Returns the server that an auth command works on. */

import { FormctlError } from "../../error.ts";
import type { RemoteTarget } from "../../config/target.ts";
import type { CommandContext } from "../command.ts";

/** @throws USAGE if the target is a local store, which needs no token */
export function serverTarget({ target, settings }: Pick<CommandContext, "target" | "settings">): RemoteTarget {
  if (target.kind === "remote") return target;
  const servers = settings.profiles().flatMap(({ name, profile }) => ("baseUrl" in profile ? [name] : []));
  const known = servers.length > 0 ? ` (${servers.join(", ")})` : "";
  throw new FormctlError(
    "USAGE",
    "auth commands need a server, and the target is a local store",
    `Specify a server: --profile NAME${known}. Add a profile: formctl profiles add NAME --base-url URL`,
  );
}

/** Whether the token of the environment is used instead of the stored one (config/token.ts). */
export function isOverridden(context: Pick<CommandContext, "target" | "settings" | "env">): boolean {
  return Boolean(context.env["FORMCTL_TOKEN"]) && serverTarget(context).namedBy !== "project";
}
