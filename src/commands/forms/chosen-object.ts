/** The object that a command works on: the one that was typed, or the one of the settings. */

import { type ObjectAddress, parseObject } from "../addresses.ts";
import { type CommandContext, optionalArgument, UsageError } from "../command.ts";

/** OBJECT, which may be left out where the setting `object` names one. */
export const objectArgument = optionalArgument(
  "OBJECT",
  "MODULE/OBJECT; may be left out where the setting object names one",
  parseObject,
);

/** @throws UsageError when none was typed and none is set, or the setting is no object */
export function chosenObject({ settings }: CommandContext, typed: ObjectAddress | undefined): ObjectAddress {
  if (typed) return typed;
  const configured = settings.get("object");
  if (configured === undefined) {
    throw new UsageError(
      "which object?",
      "Name it, such as staffing/candidate, or set one: formctl config set object staffing/candidate",
    );
  }
  try {
    return parseObject(configured);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`the setting object ${error.message}`, "See where it comes from: formctl config list");
  }
}
