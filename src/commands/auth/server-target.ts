/** Determines the server that an auth command works on. */

import { profileTarget, type RemoteTarget } from "../../config/target.ts";
import { FormctlError } from "../../base/error.ts";
import type { CommandContext } from "../command.ts";
import { addAnswers } from "../same-line.ts";

/**
 * Returns the target of the command if the target is a server. For a local store, returns the server of a profile that
 * the user selects.
 *
 * @throws USAGE if the target is a local store, and the user can't select a server
 */
export async function serverTarget({ target, settings, prompter, sameLine }: CommandContext): Promise<RemoteTarget> {
  if (target.kind === "remote") return target;
  const servers = settings.profiles().flatMap(({ name, profile }) => {
    const choice = { value: name, name: "baseUrl" in profile ? `${name}: ${profile.baseUrl}` : "", short: name };
    return "baseUrl" in profile ? [choice] : [];
  });
  if (prompter && servers.length > 0) {
    const chosen = profileTarget(settings, await prompter.select("Server:", servers), "flag");
    if (chosen.kind === "remote") {
      addAnswers(sameLine, { options: ["--profile", chosen.profile ?? ""] });
      return chosen;
    }
  }
  const known = servers.length > 0 ? ` (${servers.map(({ value }) => value).join(", ")})` : "";
  throw new FormctlError(
    "USAGE",
    "auth commands need a server, and the target is a local store",
    `Specify a server: --profile NAME${known}. Add a profile: formctl profiles add NAME --base-url URL`,
  );
}

/** Whether FORMCTL_TOKEN is sent to the server instead of the stored token (config/token.ts). */
export function isOverridden({ env }: Pick<CommandContext, "env">, { namedBy }: RemoteTarget): boolean {
  return Boolean(env["FORMCTL_TOKEN"]) && namedBy !== "project";
}
