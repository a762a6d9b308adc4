/** `formctl profiles list`: prints the profiles. */

import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import type { NamedProfile } from "../../config/profiles.ts";
import type { LoadedSettings } from "../../config/settings.ts";

export default defineCommand({
  details: "A profile is a named server or local store. It contains no token: see formctl auth status.",
  examples: ["formctl profiles list", "formctl profiles list -o name"],
  args: {},
  options: {},
  run: ({ settings }) => Promise.resolve(settings.profiles().map((each) => profileView(each, settings))),
  view(profiles: ProfileView[], terminal) {
    printTable(
      terminal,
      [
        { title: "Profile", value: ({ name }) => name },
        { title: "Target", value: ({ baseUrl, store }) => baseUrl ?? store, wraps: true },
        { title: "Organization", value: ({ organization }) => organization },
        { title: "Used", value: ({ isUsed }) => (isUsed ? "yes" : null) },
      ],
      profiles,
      "There are no profiles. Add a profile: formctl profiles add NAME --base-url URL",
    );
  },
  names: (profiles: ProfileView[]) => profiles.map(({ name }) => name),
});

type ProfileView = {
  name: string;
  kind: "server" | "local store";
  baseUrl: string | null;
  maxRequestsPerSecond: number | null;
  store: string | null;
  organization: string | null;
  /** Whether this profile is the default profile. */
  isUsed: boolean;
};

function profileView({ name, profile }: NamedProfile, settings: LoadedSettings): ProfileView {
  return {
    name,
    kind: "baseUrl" in profile ? "server" : "local store",
    baseUrl: "baseUrl" in profile ? profile.baseUrl : null,
    maxRequestsPerSecond: "baseUrl" in profile ? (profile.maxRequestsPerSecond ?? null) : null,
    store: "store" in profile ? profile.store : null,
    organization: "store" in profile ? (profile.organization ?? null) : null,
    isUsed: settings.at("user", "profile") === name,
  };
}
