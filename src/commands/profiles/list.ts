/** `formctl profiles list` */

import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { type ProfileView, profileView } from "./profile-view.ts";

export default defineCommand({
  about: "List the profiles",
  details: "A profile is a name for a server or for a local store. Tokens are not in it: see formctl auth status.",
  examples: ["formctl profiles list", "formctl profiles list -o name"],
  args: {},
  options: {},
  run: ({ settings }) => Promise.resolve(settings.profiles().map((each) => profileView(each, settings))),
  view(profiles: ProfileView[], terminal) {
    printTable(
      terminal,
      [
        { title: "Profile", value: ({ name }) => name },
        { title: "Place", value: ({ baseUrl, store }) => baseUrl ?? store, shrink: true },
        { title: "Organization", value: ({ organization }) => organization },
        { title: "Used", value: ({ isUsed }) => (isUsed ? "yes" : null) },
      ],
      profiles,
      "There are no profiles. Add one: formctl profiles add NAME --base-url URL",
    );
  },
  names: (profiles: ProfileView[]) => profiles.map(({ name }) => name),
});
