/** A version as a person names it. */

import { FormctlError } from "../../error.ts";
import { isIdentifier } from "../../schemas/identifier.ts";
import { type Argument, argument } from "../command.ts";

export function versionArgument(name: string): Argument<string> {
  return argument(name, "Version id or number, latest (the newest published) or draft", (text) => {
    if (!isIdentifier(text))
      throw new FormctlError("USAGE", `must be a version id, a number, latest or draft, not "${text}"`);
    return text;
  });
}
