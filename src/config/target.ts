/** Where a command goes: the strongest level that names a place decides (docs/decisions.md, "Profiles and tokens"). */

import { FormctlError } from "../error.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Level, LEVELS, type LoadedSettings } from "./settings.ts";

export type LocalPlace = { kind: "local"; store: string; organization: string | undefined; profile?: string };
export type RemotePlace = {
  kind: "remote";
  baseUrl: string;
  /** Scheme, host and port: the one place that its token is sent to. */
  origin: string;
  profile?: string;
  /** Who named it: a repository's file may pick a profile, but not decide who gets the token of the environment. */
  namedBy: Level;
};
export type Target = LocalPlace | RemotePlace;

/**
 * @param local whether `--local` was typed
 * @throws SETTING_INVALID when two places are named at once, or a profile that does not exist
 * @throws BASE_URL_INVALID for an address that no token is sent to
 */
export function chooseTarget(settings: LoadedSettings, local: boolean): Target {
  for (const level of LEVELS) {
    const profile = settings.at(level, "profile");
    const baseUrl = settings.at(level, "baseUrl");
    const store = settings.at(level, "store");
    const isLocal = level === "flag" && (local || store !== undefined);
    if (isLocal && profile !== undefined)
      throw new FormctlError(
        "SETTING_INVALID",
        `--profile and ${store === undefined ? "--local" : "--store"} contradict each other`,
      );
    if (profile !== undefined && baseUrl !== undefined)
      throw new FormctlError(
        "SETTING_INVALID",
        "FORMCTL_PROFILE and FORMCTL_BASE_URL contradict each other",
        "Unset one of them.",
      );
    if (profile !== undefined) return profileTarget(settings, profile, level);
    if (baseUrl !== undefined) return { kind: "remote", ...parseBaseUrl(baseUrl), namedBy: level };
    // A store in the person's own file says where the local store is, not that it is meant.
    if (isLocal || (level === "environment" && store !== undefined)) break;
  }
  return localPlace(settings);
}

/** The local store, whatever the profile says: for commands that are about nothing else. */
export function localPlace(settings: LoadedSettings): LocalPlace {
  return { kind: "local", store: settings.get("store") ?? "", organization: settings.get("organization") };
}

function profileTarget(settings: LoadedSettings, name: string, namedBy: Level): Target {
  const profiles = settings.profiles();
  const found = profiles.find((each) => each.name === name)?.profile;
  if (!found) {
    const names = profiles.map((each) => each.name);
    const near = nearest(name, names);
    throw new FormctlError(
      "SETTING_INVALID",
      `there is no profile "${name}"`,
      near ? `Did you mean ${near}?` : "Add it: formctl profiles add NAME --base-url URL",
    );
  }
  if ("baseUrl" in found) return { kind: "remote", ...parseBaseUrl(found.baseUrl), profile: name, namedBy };
  const typed = settings.at("flag", "organization") ?? settings.at("environment", "organization");
  const organization = typed ?? found.organization ?? settings.get("organization");
  return { kind: "local", store: found.store, organization, profile: name };
}

/** `https://forms.example.com, profile prod` */
export function placeText(target: Target): string {
  const profile = target.profile === undefined ? "" : `, profile ${target.profile}`;
  if (target.kind === "remote") return `${target.baseUrl}${profile}`;
  const organization = target.organization === undefined ? "" : `, organization ${target.organization}`;
  return `the local store ${target.store}${organization}${profile}`;
}
