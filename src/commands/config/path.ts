/** `formctl config path`: prints the paths of the settings files. */

import type { SettingsFile } from "../../config/settings.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl config path", "formctl config path -o name"],
  args: {},
  options: {},
  run: (context) => Promise.resolve(context.settings.files()),
  view(files: SettingsFile[], terminal) {
    printTable(
      terminal,
      [
        { title: "File", value: ({ path }) => path },
        { title: "Kind", value: ({ kind }) => kind },
        { title: "Exists", value: ({ exists }) => exists },
      ],
      files,
      "No settings files.",
    );
  },
  names: (files: SettingsFile[]) => files.map(({ path }) => path),
});
