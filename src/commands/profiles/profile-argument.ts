/** The argument of a command that takes a profile. */

import { PROFILE_NAME } from "../../config/profiles.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { nearest } from "../../schemas/nearest.ts";
import { AddressError } from "../addresses.ts";
import { argument, UsageError } from "../command.ts";

export const profileArgument = argument("NAME", "Name of the profile", (text) => {
  if (PROFILE_NAME.test(text)) return text;
  throw new UsageError(`must be 1 to 64 letters, digits, _, . or -, not "${text}"`);
});

/** @throws AddressError when the profile does not exist */
export function requireProfile(settings: LoadedSettings, name: string): void {
  const names = settings.profiles().map((each) => each.name);
  if (names.includes(name)) return;
  const near = nearest(name, names);
  throw new AddressError(
    "missing",
    `the profile "${name}" does not exist`,
    near ? `Did you mean ${near}?` : "List the profiles: formctl profiles list",
  );
}
