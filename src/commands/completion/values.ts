/** Knows the values of arguments and options: constants, or the kind of records to read from the target. */

import { SETTING_KEYS, settingRow } from "../../config/setting-rows.ts";
import { MODES, SURFACES } from "../../schemas/words.ts";
import { OUTPUT_FORMATS } from "../global-flags.ts";
import { longFlag } from "../invocation.ts";
import type { Candidate } from "./candidates.ts";
import type { Taken, TypedLine } from "./typed-line.ts";

/** The records that are read to complete a value. */
export type Stored =
  | "currency"
  | "defaults"
  | "form"
  | "layout"
  | "member"
  | "object"
  | "organization"
  | "profile"
  | "role"
  | "priority"
  | "token"
  | "version";

/** With `files`, the shell completes file names if there are no candidates. */
export type Values = { candidates: Candidate[] } | { stored: Stored; files: boolean } | { files: true };

/** By the name of an argument, or the placeholder of an option. An entry with the path of a command precedes. */
const STORED: Readonly<Record<string, Stored>> = {
  CODE: "currency",
  "MODE=FORM": "defaults",
  FORM: "form",
  LAYOUT: "layout",
  "export NAME": "layout",
  OBJECT: "object",
  "<module/object>": "object",
  "profiles use NAME": "profile",
  "profiles remove NAME": "profile",
  "profiles add NAME": "profile",
  "--profile": "profile",
  "--organization": "organization",
  "<role>": "role",
  "<role=priority>": "priority",
  "<member>": "member",
  "<email>": "member",
  TOKEN: "token",
  SHOWN: "layout",
  "<layout>": "layout",
  "<version>": "version",
  VERSION: "version",
  A: "version",
  B: "version",
};

const FILES = new Set(["SHOWN", "FILE", "PATH", "<file>", "<folder>", "<path>"]);
const NO_FILES = new Set(["api PATH"]);

/** Returns the values of an argument or option; undefined if any text is possible. */
export function valuesOf(
  { name, values }: Taken,
  { path, args, options }: TypedLine,
  word: string,
): Values | undefined {
  if (values) return constants(values);
  const placeholder = name.startsWith("-") ? (/<[^>]*>/.exec(name)?.[0] ?? "") : name;
  const key = [`${path.join(" ")} ${placeholder}`, longFlag(name), placeholder].find((each) =>
    Object.hasOwn(STORED, each),
  );
  if (key !== undefined) return { stored: STORED[key]!, files: FILES.has(placeholder) };
  if (FILES.has(placeholder) && !NO_FILES.has(`${path.join(" ")} ${placeholder}`)) return { files: true };
  switch (placeholder) {
    case "<format>":
      return constants(OUTPUT_FORMATS);
    case "MODE":
    case "<mode>":
      return constants(MODES);
    case "<modes>":
      return modeLists(word);
    case "SURFACE":
    case "<surface>":
      return constants(SURFACES);
    case "KEY":
      return { candidates: SETTING_KEYS.map((setting) => ({ value: setting, about: settingRow(setting).about })) };
    case "VALUE":
      return options.has("--unset") ? undefined : settingValues(args[0]);
  }
  return undefined;
}

const constants = (values: readonly string[]): Values => ({ candidates: values.map((value) => ({ value })) });

/** Modes separated by commas: offers the modes that are not in the list yet. */
function modeLists(word: string): Values {
  const typed = word.split(",").slice(0, -1);
  const others = MODES.filter((mode) => !typed.some((each) => each.toUpperCase() === mode));
  return constants(others.map((mode) => [...typed, mode].join(",")));
}

function settingValues(key: string | undefined): Values | undefined {
  const setting = SETTING_KEYS.find((each) => each === key);
  if (setting === "profile" || setting === "object" || setting === "organization")
    return { stored: setting, files: false };
  if (setting === "store") return { files: true };
  const values = setting && settingRow(setting).values;
  return values && constants(values);
}
