/** Finds the possible values of an argument or option: constants, files, or records of the target. */

import { SETTING_KEYS, settingRow } from "../../config/setting-rows.ts";
import { FAULT_PLACES } from "../../schemas/fault.ts";
import { MODES, SURFACES } from "../../schemas/words.ts";
import type { ListName } from "../command.ts";
import { OUTPUT_FORMATS } from "../global-flags.ts";
import { longFlag } from "../invocation.ts";
import type { Candidate } from "./candidates.ts";
import type { Taken, TypedLine } from "./typed-line.ts";

/** A list that completion reads: records of the target, or names in the settings and the project. */
export type Stored = Exclude<ListName, "setting" | "layoutOrPath"> | "defaultForm" | "organization" | "priority";

/** With `files`, the shell completes file names if there are no candidates. */
export type Values = { candidates: Candidate[] } | { stored: Stored; files: boolean } | { files: true };

/** Returns the values of an argument or option; undefined if any text is possible. */
export function valuesOf({ name, choose }: Taken, line: TypedLine, word: string): Values | undefined {
  if (typeof choose !== "string") return constants(choose);
  switch (choose) {
    case "text":
      return byName(name, line);
    case "modes":
    case "formModes":
      return modeLists(word);
    case "file":
    case "path":
      return { files: true };
    case "layoutOrPath":
      return { stored: "layout", files: true };
    case "setting":
      return { candidates: SETTING_KEYS.map((setting) => ({ value: setting, about: settingRow(setting).about })) };
    case "role":
      return stored(name.includes("=") ? "priority" : "role");
    default:
      return stored(choose);
  }
}

/** A value such as `name=` is the start of a condition. */
const constants = (values: readonly string[]): Values => ({
  candidates: values.map((value) => ({ value, ...(/[=~]$/.test(value) && { continues: true }) })),
});
const stored = (kind: Stored): Values => ({ stored: kind, files: false });

/** Modes separated by commas: offers the modes that are not in the list yet. */
function modeLists(word: string): Values {
  const typed = word.split(",").slice(0, -1);
  const others = MODES.filter((mode) => !typed.some((each) => each.toUpperCase() === mode));
  return constants(others.map((mode) => [...typed, mode].join(",")));
}

/** Returns the values of an argument or option whose `choose` is `text`, by its name or placeholder. */
function byName(name: string, line: TypedLine): Values | undefined {
  switch (longFlag(name)) {
    case "--profile":
      return stored("profile");
    case "--organization":
      return stored("organization");
    case "--output":
      return constants(OUTPUT_FORMATS);
  }
  const placeholder = name.startsWith("-") ? (/<[^>]*>/.exec(name)?.[0] ?? "") : name;
  switch (placeholder) {
    case "FILE":
    case "<file>":
    case "<folder>":
    case "<path>":
      return { files: true };
    case "<fault>":
      return { candidates: FAULT_PLACES.map((value) => ({ value: `${value}:`, continues: true })) };
    case "<mode>":
      return constants(MODES);
    case "<modes>":
      return modeLists("");
    case "SURFACE":
    case "<surface>":
      return constants(SURFACES);
    case "<object>":
    case "<module/object>":
      return stored("object");
    case "<layout>":
      return stored("layout");
    case "<draft-id>":
      return stored("stagedChange");
    case "<version>":
      return stored("version");
    case "<role>":
      return stored("role");
    case "<member>":
    case "<email>":
      return stored("member");
    case "VALUE":
      return settingValues(line);
  }
  return undefined;
}

function settingValues({ args, options }: TypedLine): Values | undefined {
  const setting = SETTING_KEYS.find((each) => each === args[0]);
  if (!setting || options.has("--unset")) return undefined;
  if (setting === "profile" || setting === "object" || setting === "organization") return stored(setting);
  if (setting === "store") return { files: true };
  const { values } = settingRow(setting);
  return values && constants(values);
}
