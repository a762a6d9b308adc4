/** `formctl config set`: saves or removes a setting in the user's file. */

import { FormctlError, hasCode } from "../../base/error.ts";
import { parseObject } from "../addresses.ts";
import { argument, asText, defineCommand, flag, optionalArgument } from "../command.ts";

export default defineCommand({
  examples: ["formctl config set output json", "formctl config set organization --unset"],
  args: {
    key: argument("KEY", "Name of the setting", asText, "setting"),
    value: optionalArgument("VALUE", "New value", (text) => text),
  },
  options: { unset: flag("--unset", "Remove the setting from the file") },
  atLeastOneOf: [["value", "unset"]],
  async run({ settings }, { key, value, unset }) {
    if (unset && value !== undefined)
      throw new FormctlError("USAGE", "VALUE and --unset can't be combined", "Remove one of them.");
    if (key === "object" && value !== undefined) requireObject(value);
    const path = await settings.set(key, value ?? null);
    return { key, value: value ?? null, path };
  },
  view({ key, value, path }, terminal) {
    terminal.line(value === null ? `Removed ${key} from ${path}.` : `Set ${key} to ${value} in ${path}.`);
  },
  names: ({ key }) => [key],
});

function requireObject(text: string): void {
  try {
    parseObject(text);
  } catch (error) {
    if (!hasCode(error, "USAGE")) throw error;
    throw new FormctlError("USAGE", `object ${error.message}`, "Example: formctl config set object staffing/candidate");
  }
}
