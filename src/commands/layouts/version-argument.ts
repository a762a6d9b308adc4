/** A version as a person names it. */

import { isIdentifier } from "../../schemas/words.ts";
import { type Argument, argument, UsageError } from "../command.ts";

export function versionArgument(name: string): Argument<string> {
  return argument(name, "Version id or number, latest (the newest published) or draft", (text) => {
    if (!isIdentifier(text)) throw new UsageError(`must be a version id, a number, latest or draft, not "${text}"`);
    return text;
  });
}
