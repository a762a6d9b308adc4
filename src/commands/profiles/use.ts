/** `formctl profiles use` */

import { defineCommand } from "../command.ts";
import { profileArgument, requireProfile } from "./profile-argument.ts";

export default defineCommand({
  about: "Let commands go where a profile says",
  details: "It counts where neither a flag, the environment nor a project's file names another place.",
  examples: ["formctl profiles use prod"],
  args: { name: profileArgument },
  options: {},
  async run({ settings }, { name }) {
    requireProfile(settings, name);
    return { name, path: await settings.set("profile", name) };
  },
  view: ({ name }, terminal) => terminal.out(`Commands go where ${name} says.\n`),
  names: ({ name }) => [name],
});
