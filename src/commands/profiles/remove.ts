/** `formctl profiles remove`: deletes a profile. */

import { defineCommand } from "../command.ts";
import { profileArgument, requireProfile } from "./profile-argument.ts";

export default defineCommand({
  details: "The stored token of its server is kept. To delete it first: formctl auth logout --profile NAME.",
  examples: ["formctl profiles remove sandbox", "formctl profiles remove prod"],
  args: { name: profileArgument },
  options: {},
  async run({ settings }, { name }) {
    requireProfile(settings, name);
    return { name, path: await settings.setProfile(name, null) };
  },
  view: ({ name }, terminal) => terminal.line(`Removed the profile ${name}.`),
  names: ({ name }) => [name],
});
