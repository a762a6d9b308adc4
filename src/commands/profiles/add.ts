/** `formctl profiles add`: a name for a server, or for a local store. */

import { resolve } from "node:path";
import { FormctlError, hasCode } from "../../error.ts";
import type { Profile } from "../../config/profiles.ts";
import { requireStorePath } from "../../config/setting-rows.ts";
import { parseBaseUrl } from "../../schemas/base-url.ts";
import { type CommandContext, defineCommand, option } from "../command.ts";
import { profileArgument } from "./profile-argument.ts";

export default defineCommand({
  about: "Add a profile, or change one",
  details: `The base URL is https, or http on this machine. --store and --organization, which every command has, name a local store.
A token is stored for the exact origin of the base URL (formctl auth login) and is sent to no other.`,
  examples: [
    "formctl profiles add prod --base-url https://forms.example.com",
    "formctl profiles add sandbox --store ./sandbox.db",
  ],
  args: { name: profileArgument },
  options: { baseUrl: option("--base-url <url>", "Address of the server, without /v1") },
  async run(context, { name, baseUrl }) {
    const { settings } = context;
    const store = settings.at("flag", "store");
    const organization = settings.at("flag", "organization");
    if ((baseUrl === undefined) === (store === undefined))
      throw new FormctlError("USAGE", "name either a server or a local store", "With --base-url URL, or --store PATH.");
    if (baseUrl !== undefined && organization !== undefined)
      throw new FormctlError("USAGE", "a server knows the organization by the token", "Leave --organization out.");
    if (store !== undefined) requireStorePath(store);
    const profile: Profile =
      baseUrl !== undefined
        ? { baseUrl: parseBaseUrl(baseUrl).baseUrl }
        : { store: resolve(context.cwd, store ?? ""), ...(organization !== undefined && { organization }) };
    await askToReplace(context, name, profile);
    return { name, ...profile, path: await settings.setProfile(name, profile) };
  },
  view(added, terminal) {
    const place = "baseUrl" in added ? added.baseUrl : added.store;
    terminal.out(`Added the profile ${added.name} for ${place}.\n`);
  },
  names: ({ name }) => [name],
  next: (added) => [
    `formctl profiles use ${added.name}`,
    ...("baseUrl" in added ? [`formctl auth login --profile ${added.name}`] : []),
  ],
});

/** Whoever changes where a name leads, changes where all scripts that use it go. */
async function askToReplace(context: CommandContext, name: string, profile: Profile): Promise<void> {
  const former = context.settings.profiles().find((each) => each.name === name)?.profile;
  if (!former || placeOf(former) === placeOf(profile)) return;
  try {
    await context.consent({
      question: `Let ${name} lead to ${placeOf(profile)} instead of ${placeOf(former)}?`,
      lost: [],
      flag: "--yes",
    });
  } catch (error) {
    if (!hasCode(error, "CONSENT_MISSING")) throw error;
    throw new FormctlError("CONSENT_MISSING", `${name} leads to ${placeOf(former)} already`, "Replace it with --yes.");
  }
}

function placeOf(profile: Profile): string {
  return "baseUrl" in profile ? profile.baseUrl : profile.store;
}
