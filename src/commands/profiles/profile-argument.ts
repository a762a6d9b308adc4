/** The argument of commands that take the name of a profile. */

import { FormctlError } from "../../base/error.ts";
import { PROFILE_NAME } from "../../config/profiles.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { nearest } from "../../base/nearest.ts";
import { argument } from "../command.ts";

export const newProfileArgument = argument("NAME", "Name of the profile", parseProfileName);

/** The name of an existing profile. */
export const profileArgument = argument("NAME", "Name of the profile", parseProfileName, "profile");

/** Parses the name of a profile. @throws USAGE */
export function parseProfileName(text: string): string {
  if (PROFILE_NAME.test(text)) return text;
  throw new FormctlError("USAGE", `must be 1 to 64 letters, digits, _, . or -, not "${text}"`);
}

/** @throws NOT_FOUND if the profile does not exist */
export function requireProfile(settings: LoadedSettings, name: string): void {
  const names = settings.profiles().map((each) => each.name);
  if (names.includes(name)) return;
  const near = nearest(name, names);
  throw new FormctlError(
    "NOT_FOUND",
    `the profile "${name}" does not exist`,
    near ? `Did you mean ${near}?` : "List the profiles: formctl profiles list",
  );
}
