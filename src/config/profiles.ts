/** Profiles: named targets. They are saved only in the settings file of the user. */

import { hasCode } from "../base/error.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import { isJsonObject } from "../schemas/json.ts";
import { parseRequestRate } from "./request-rate.ts";

export type Profile = { baseUrl: string; maxRequestsPerSecond?: number } | { store: string; organization?: string };
export type Profiles = Readonly<Record<string, Profile>>;
export type NamedProfile = { name: string; profile: Profile };

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/**
 * Reads the profiles of a settings file.
 *
 * @param report receives each problem with its path in the file
 */
export function readProfiles(value: unknown, report: (path: string, message: string) => void): Profiles {
  if (!isJsonObject(value)) {
    report("profiles", "must map names to profiles");
    return {};
  }
  const profiles: Record<string, Profile> = {};
  for (const [name, entry] of Object.entries(value)) {
    const path = `profiles.${name}`;
    if (!PROFILE_NAME.test(name)) report("profiles", `"${name}" is not a valid profile name`);
    else if (!isJsonObject(entry)) report(path, "must have baseUrl or store");
    else {
      const profile = readProfile(entry, (message, member) => report(member ? `${path}.${member}` : path, message));
      if (profile) profiles[name] = profile;
    }
  }
  return profiles;
}

function readProfile(
  entry: Readonly<Record<string, unknown>>,
  report: (message: string, member?: string) => void,
): Profile | undefined {
  const { baseUrl, maxRequestsPerSecond: rate, store, organization, ...unknown } = entry;
  for (const member of Object.keys(unknown))
    report("is not a member of a profile. Valid members: baseUrl, maxRequestsPerSecond, store, organization", member);
  if (typeof baseUrl === "string" && store === undefined && organization === undefined) {
    try {
      return {
        baseUrl: parseBaseUrl(baseUrl).baseUrl,
        ...(rate !== undefined && { maxRequestsPerSecond: parseRequestRate(JSON.stringify(rate)) }),
      };
    } catch (error) {
      if (!hasCode(error, "BASE_URL_INVALID", "SETTING_INVALID")) throw error;
      report(error.message, hasCode(error, "BASE_URL_INVALID") ? "baseUrl" : "maxRequestsPerSecond");
      return undefined;
    }
  }
  const isText = (member: unknown) => member === undefined || typeof member === "string";
  if (typeof store === "string" && baseUrl === undefined && rate === undefined && isText(organization)) {
    return { store, ...(typeof organization === "string" && { organization }) };
  }
  report("must have either baseUrl with an optional maxRequestsPerSecond, or store with an optional organization");
  return undefined;
}
