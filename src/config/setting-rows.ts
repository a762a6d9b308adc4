/** Every setting there is. */

import { FormctlError } from "../error.ts";
import { nearest } from "../schemas/nearest.ts";

type SettingRow = {
  about: string;
  env: string;
  flag?: string;
  /**
   * Where it may stand beside flag and environment: in a project's file too, because it leads no command to another
   * place; in the person's own only; or in neither.
   */
  place: "project" | "user" | "environment";
  values?: readonly string[];
};

export const SETTINGS = {
  profile: {
    about: "Profile that says where commands go",
    env: "FORMCTL_PROFILE",
    flag: "--profile",
    place: "project",
  },
  baseUrl: { about: "Server to use without a profile", env: "FORMCTL_BASE_URL", place: "environment" },
  timeout: {
    about: "Seconds that a server may take to answer",
    env: "FORMCTL_TIMEOUT",
    flag: "--timeout",
    place: "user",
  },
  store: { about: "File of the local store", env: "FORMCTL_STORE", flag: "--store", place: "user" },
  organization: {
    about: "Organization of the local store to work in",
    env: "FORMCTL_ORGANIZATION",
    flag: "--organization",
    place: "user",
  },
  object: { about: "Object that a command means when none is named", env: "FORMCTL_OBJECT", place: "project" },
  output: {
    about: "How answers are printed",
    env: "FORMCTL_OUTPUT",
    flag: "-o",
    place: "user",
    values: ["table", "json", "jsonl", "yaml", "name"],
  },
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function settingRow(key: SettingKey): SettingRow {
  return SETTINGS[key];
}

/** @throws SETTING_INVALID that offers the nearest one */
export function settingKey(text: string): SettingKey {
  const found = SETTING_KEYS.find((key) => key === text);
  if (found) return found;
  const near = nearest(text, SETTING_KEYS);
  throw new FormctlError(
    "SETTING_INVALID",
    `there is no setting "${text}"`,
    near ? `Did you mean ${near}?` : `There are: ${SETTING_KEYS.join(", ")}`,
  );
}

/** @throws SETTING_INVALID when a file can't hold the setting, or not this value */
export function requireSettable(key: SettingKey, value: string | null): void {
  const { place, values } = settingRow(key);
  if (place === "environment")
    throw new FormctlError(
      "SETTING_INVALID",
      `${key} can't be set in a file`,
      "Add a profile: formctl profiles add NAME --base-url URL",
    );
  if (value !== null && values && !values.includes(value)) {
    throw new FormctlError("SETTING_INVALID", `${key} must be one of ${values.join(", ")}, not "${value}"`);
  }
  if (key === "timeout" && value !== null) parseTimeout(value);
  if (key === "store" && value !== null) requireStorePath(value);
}

/** @throws SETTING_INVALID for the address of a database, which may hold a password and is not told */
export function requireStorePath(text: string): void {
  if (!text.includes("://")) return;
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined) return;
  throw new FormctlError(
    "SETTING_INVALID",
    `this version knows no database at ${scheme}://…: a local store is a SQLite file`,
    "Name the file by its path: --store ./forms.db",
  );
}

/** Milliseconds. @throws SETTING_INVALID for anything but 1 to 3600 seconds */
export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw new FormctlError("SETTING_INVALID", `the timeout must be a number of seconds up to 3600, not "${text}"`);
}
