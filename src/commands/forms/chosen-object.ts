/** The object that a command works on: the one that was typed, or the one of the settings. */

import { FormctlError, hasCode } from "../../error.ts";
import { type ObjectAddress, parseObject } from "../addresses.ts";
import { type CommandContext, optionalArgument } from "../command.ts";

/** OBJECT, which may be left out where the setting `object` names one. */
export const objectArgument = optionalArgument(
  "OBJECT",
  "MODULE/OBJECT; may be left out where the setting object names one",
  parseObject,
);

/** @throws USAGE when none was typed and none is set, or the setting is no object */
export function chosenObject({ settings }: CommandContext, typed: ObjectAddress | undefined): ObjectAddress {
  if (typed) return typed;
  const configured = settings.get("object");
  if (configured === undefined) {
    throw new FormctlError(
      "USAGE",
      "which object?",
      "Name it, such as staffing/candidate, or set one: formctl config set object staffing/candidate",
    );
  }
  try {
    return parseObject(configured);
  } catch (error) {
    if (!hasCode(error, "USAGE")) throw error;
    throw new FormctlError(
      "USAGE",
      `the setting object ${error.message}`,
      "See where it comes from: formctl config list",
    );
  }
}
