/** `formctl config list`: prints all settings with their sources. */

import type { SettingValue } from "../../config/settings.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl config list", "formctl config list -o json"],
  args: {},
  options: {},
  run: (context) => Promise.resolve(context.settings.all()),
  view(settings: SettingValue[], terminal) {
    printTable(
      terminal,
      [
        { title: "Setting", value: ({ key }) => key },
        { title: "Value", value: ({ value }) => value, wraps: true },
        { title: "Source", value: ({ source }) => source, wraps: true, yields: true },
      ],
      settings,
      "No settings.",
    );
  },
});
