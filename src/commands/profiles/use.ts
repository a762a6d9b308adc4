/** `formctl profiles use`: sets the default profile. */

import { defineCommand } from "../command.ts";
import { profileArgument, requireProfile } from "./profile-argument.ts";

export default defineCommand({
  details: "Options, environment variables and the project file override the default profile.",
  examples: ["formctl profiles use prod", "formctl profiles use sandbox"],
  args: { name: profileArgument },
  options: {},
  async run({ settings }, { name }) {
    requireProfile(settings, name);
    return { name, path: await settings.set("profile", name) };
  },
  view: ({ name }, terminal) => terminal.line(`Commands use the profile ${name} by default.`),
  names: ({ name }) => [name],
});
