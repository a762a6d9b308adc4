/** `formctl config set` */

import { argument, defineCommand, flag, optionalArgument, UsageError } from "../command.ts";

export default defineCommand({
  about: "Change a setting in your own file",
  examples: ["formctl config set output json", "formctl config set organization --unset"],
  args: {
    key: argument("KEY", "The setting"),
    value: optionalArgument("VALUE", "Its new value", (text) => text),
  },
  options: { unset: flag("--unset", "Remove the setting from the file") },
  async run({ settings }, { key, value, unset }) {
    if (unset === (value !== undefined))
      throw new UsageError("give a value, or --unset", "Such as: formctl config set output json");
    const path = await settings.set(key, value ?? null);
    return { key, value: value ?? null, path };
  },
  view({ key, value, path }, terminal) {
    terminal.out(value === null ? `Removed ${key} from ${path}.\n` : `Set ${key} to ${value} in ${path}.\n`);
  },
  names: ({ key }) => [key],
});
