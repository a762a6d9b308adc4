/** `formctl profiles add`: saves a server or a local store under a name. */

import { FormctlError, hasCode } from "../../base/error.ts";
import { resolve } from "node:path";
import type { Profile } from "../../config/profiles.ts";
import { parseRequestRate } from "../../config/request-rate.ts";
import { requireStore } from "../../config/setting-rows.ts";
import { parseBaseUrl } from "../../schemas/base-url.ts";
import { isStoreUrl } from "../../base/database-url.ts";
import { type CommandContext, defineCommand, option } from "../command.ts";
import { newProfileArgument } from "./profile-argument.ts";

export default defineCommand({
  details: `The base URL is https, or http on this machine. The global option --max-rps is saved too, and limits the requests of each command
with the profile. The global options --store and --organization specify a local store. A token (formctl auth login) is stored for
the exact origin of the base URL and is sent to no other.`,
  examples: [
    "formctl profiles add prod --base-url https://forms.example.com",
    "formctl profiles add staging --base-url https://staging.example.com --max-rps 10",
    "formctl profiles add sandbox --store ./sandbox.db",
  ],
  args: { name: newProfileArgument },
  options: {
    baseUrl: option("--base-url <url>", "Address of the server, without /v1", (text) => parseBaseUrl(text).baseUrl),
  },
  atLeastOneOf: [["baseUrl", "--store"]],
  async run(context, { name, baseUrl }) {
    const { settings } = context;
    const store = settings.at("flag", "store");
    const organization = settings.at("flag", "organization");
    if (baseUrl !== undefined && store !== undefined)
      throw new FormctlError("USAGE", "--base-url and --store can't be combined", "Remove one of them.");
    if (baseUrl !== undefined && organization !== undefined)
      throw new FormctlError(
        "USAGE",
        "--base-url and --organization can't be combined",
        "Remove --organization: the token determines the organization.",
      );
    const rate = settings.at("flag", "maxRequestsPerSecond");
    if (store !== undefined && rate !== undefined)
      throw new FormctlError("USAGE", "--max-rps and --store can't be combined", "Remove one of them.");
    if (store !== undefined) requireStore(store);
    const profile: Profile =
      baseUrl !== undefined
        ? { baseUrl, ...(rate !== undefined && { maxRequestsPerSecond: parseRequestRate(rate) }) }
        : { store: savedStore(context.cwd, store ?? ""), ...(organization !== undefined && { organization }) };
    await confirmReplacement(context, name, profile);
    return { name, ...profile, path: await settings.setProfile(name, profile) };
  },
  view(added, terminal) {
    const target = "baseUrl" in added ? added.baseUrl : added.store;
    terminal.line(`Added the profile ${added.name} for ${target}.`);
  },
  names: ({ name }) => [name],
  next: (added) => [
    `formctl profiles use ${added.name}`,
    ...("baseUrl" in added ? [`formctl auth login --profile ${added.name}`] : []),
  ],
});

/**
 * Asks the user to confirm the changed target. The change affects every script that uses the profile.
 *
 * @throws CONSENT_MISSING if the user declines or can't be asked
 */
export async function confirmReplacement(context: CommandContext, name: string, profile: Profile): Promise<void> {
  const former = context.settings.profiles().find((each) => each.name === name)?.profile;
  if (!former || locationOf(former) === locationOf(profile)) return;
  try {
    await context.consent({
      question: `Change the target of the profile ${name} from ${locationOf(former)} to ${locationOf(profile)}?`,
      lost: [],
      flag: "--yes",
    });
  } catch (error) {
    if (!hasCode(error, "CONSENT_MISSING")) throw error;
    throw new FormctlError(
      "CONSENT_MISSING",
      `the profile ${name} already exists, for ${locationOf(former)}`,
      "To replace it, add --yes.",
    );
  }
}

/** Returns the store with an absolute path, because later commands may have another working directory. */
function savedStore(cwd: string, store: string): string {
  return isStoreUrl(store) ? store : resolve(cwd, store);
}

function locationOf(profile: Profile): string {
  return "baseUrl" in profile ? profile.baseUrl : profile.store;
}
