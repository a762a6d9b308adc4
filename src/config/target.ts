/**
 * Chooses the target of a command. Settings come from four levels: flag, environment, project file and user file. The
 * first level that specifies a target decides (docs/decisions.md, "Profiles and tokens").
 */

import { FormctlError } from "../base/error.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import { nearest } from "../base/nearest.ts";
import { isStoreUrl, hidePassword } from "../base/database-url.ts";
import type { Profile } from "./profiles.ts";
import { parseRequestRate } from "./request-rate.ts";
import { requireStore } from "./setting-rows.ts";
import { type Level, LEVELS, type LoadedSettings } from "./settings.ts";

/**
 * The environment variable with the path of the file that config/script-rehearsal.ts describes. Only the commands of a
 * rehearsed script have this variable.
 */
export const REHEARSAL_VARIABLE = "FORMCTL_REHEARSAL";

export type LocalTarget = {
  kind: "local";
  store: string;
  organization: string | undefined;
  profile?: string;
  /** Present in the rehearsal of a script. Commands of the script use a copy of this store. */
  isCopied?: true;
  /** Present if no setting and no option specifies a target. */
  isDefault?: true;
};
export type RemoteTarget = {
  kind: "remote";
  baseUrl: string;
  /** The scheme, host and port. The token is sent only to this origin. */
  origin: string;
  profile?: string;
  /** The maximum number of requests that start in a second. Undefined if the user sets no limit. */
  maxRequestsPerSecond?: number;
  /** Present in the rehearsal of a script. Commands of the script use a copy of this server. */
  isCopied?: true;
  /** The level that specifies the target. FORMCTL_TOKEN is not sent to a target that a project file specifies. */
  namedBy: Level;
};
export type Target = LocalTarget | RemoteTarget;

/**
 * Returns the target that the settings specify. If they specify none, returns the local store.
 *
 * @param local whether the command line has `--local`
 * @throws SETTING_INVALID if settings contradict each other, or the profile is unknown
 * @throws BASE_URL_INVALID
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
        `--profile and ${store === undefined ? "--local" : "--store"} can't be combined`,
        "Remove one of them.",
      );
    if (profile !== undefined && baseUrl !== undefined)
      throw new FormctlError(
        "SETTING_INVALID",
        "FORMCTL_PROFILE and FORMCTL_BASE_URL can't be combined",
        "Unset one of them.",
      );
    if (profile !== undefined) return profileTarget(settings, profile, level);
    if (baseUrl !== undefined) return serverTarget(settings, { baseUrl }, level);
    // `store` in the user's file is only the path of the local store. It does not make the store the target.
    if (isLocal || (level === "environment" && store !== undefined)) return localStoreTarget(settings);
  }
  return { ...localStoreTarget(settings), isDefault: true };
}

/** Returns the local store of the settings. Ignores the profile of the settings. */
export function localStoreTarget(settings: LoadedSettings): LocalTarget {
  return { kind: "local", store: settings.get("store") ?? "", organization: settings.get("organization") };
}

/** @throws BASE_URL_INVALID; SETTING_INVALID if the maximum number of requests per second is invalid */
function serverTarget(
  settings: LoadedSettings,
  { baseUrl, maxRequestsPerSecond }: Extract<Profile, { baseUrl: string }>,
  namedBy: Level,
): RemoteTarget {
  const key = "maxRequestsPerSecond";
  const typed = settings.at("flag", key) ?? settings.at("environment", key);
  const text = typed ?? maxRequestsPerSecond?.toString() ?? settings.get(key);
  return {
    kind: "remote",
    ...parseBaseUrl(baseUrl),
    ...(text !== undefined && { maxRequestsPerSecond: parseRequestRate(text) }),
    namedBy,
  };
}

/** Returns the target of a profile. @throws SETTING_INVALID if the profile is unknown; BASE_URL_INVALID */
export function profileTarget(settings: LoadedSettings, name: string, namedBy: Level): Target {
  const profiles = settings.profiles();
  const found = profiles.find((each) => each.name === name)?.profile;
  if (!found) {
    const names = profiles.map((each) => each.name);
    const near = nearest(name, names);
    throw new FormctlError(
      "SETTING_INVALID",
      `the profile "${hidePassword(name)}" does not exist`,
      near ? `Did you mean ${near}?` : "Add a profile: formctl profiles add NAME --base-url URL",
    );
  }
  if ("baseUrl" in found) return { ...serverTarget(settings, found, namedBy), profile: name };
  const typed = settings.at("flag", "organization") ?? settings.at("environment", "organization");
  const organization = typed ?? found.organization ?? settings.get("organization");
  return { kind: "local", store: found.store, organization, profile: name };
}

/**
 * Returns the target that the text names. The text is a profile, a base URL of a server, or a path of a local store.
 * After a store or its profile, `#KEY` selects an organization.
 *
 * @param exists whether a file exists at a path
 * @throws SETTING_INVALID if the text is neither a profile nor a path, or contains a password
 * @throws BASE_URL_INVALID
 * @throws USAGE if `#KEY` follows the profile of a server
 */
export function namedTarget(settings: LoadedSettings, text: string, exists: (path: string) => boolean): Target {
  if (/^https?:\/\//i.test(text)) return serverTarget(settings, { baseUrl: text }, "flag");
  // Messages below print the text.
  requireStore(text);
  const isProfile = (name: string) => settings.profiles().some((each) => each.name === name);
  const [, before = text, key] = exists(text) || isProfile(text) ? [] : (/^([^]+)#([^#]+)$/.exec(text) ?? []);
  if (!isProfile(before) && (exists(before) || isStoreUrl(before) || /[/\\]|\.db$/.test(before))) {
    return { kind: "local", store: before, organization: key ?? settings.get("organization") };
  }
  const target = profileTarget(settings, before, "flag");
  if (key === undefined) return target;
  if (target.kind === "local") return { ...target, organization: key };
  throw new FormctlError(
    "USAGE",
    `#${key} selects an organization of a local store: on ${target.origin} the token determines the organization`,
    `Remove #${key}.`,
  );
}

/** Whether a flag or the environment names a target. */
export function namesTarget(settings: LoadedSettings, isLocal: boolean): boolean {
  const keys = ["profile", "baseUrl", "store"] as const;
  const levels = ["flag", "environment"] as const;
  return isLocal || levels.some((level) => keys.some((key) => settings.at(level, key) !== undefined));
}

/** Returns a target as text, such as `https://forms.example.com, profile prod`. */
export function targetText(target: Target): string {
  const copy = target.isCopied ? "a copy of " : "";
  const profile = target.profile === undefined ? "" : `, profile ${target.profile}`;
  if (target.kind === "remote") return `${copy}${target.baseUrl}${profile}`;
  const organization = target.organization === undefined ? "" : `, organization ${target.organization}`;
  return `${copy}the local store ${hidePassword(target.store)}${organization}${profile}`;
}
