/** `formctl config get`: prints the value of a setting. */

import type { SettingValue } from "../../config/settings.ts";
import { argument, asText, defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl config get store", "formctl config get output -o json"],
  args: { key: argument("KEY", "Name of the setting", asText, "setting") },
  options: {},
  async run({ settings }, { key }) {
    const known = settings.key(key);
    return settings.all().find((setting) => setting.key === known) as SettingValue;
  },
  view({ value }, terminal) {
    terminal.out(`${value ?? ""}\n`);
  },
  names: ({ value }) => (value === null ? [] : [value]),
});
