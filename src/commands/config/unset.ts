/** `formctl config unset`: removes a setting from the user's file. */

import { argument, asText, defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl config unset organization", "formctl config unset output -q"],
  args: { key: argument("KEY", "Name of the setting", asText, "setting") },
  options: {},
  async run({ settings }, { key }) {
    const path = await settings.set(key, null);
    return { key, value: null, path };
  },
  view({ key, path }, terminal) {
    terminal.line(`Removed ${key} from ${path}.`);
  },
  names: ({ key }) => [key],
});
