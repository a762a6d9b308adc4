/** Defines the settings in a table, and checks their values. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import { parseRequestRate } from "./request-rate.ts";
import { hasPassword, hidePassword, refuseMistypedUrl } from "../base/database-url.ts";

type SettingRow = {
  about: string;
  env: string;
  flag?: string;
  /**
   * The settings files that may contain the setting:
   * - `project`: the project file and the user's file
   * - `user`: only the user's file, because another user may have written the project file
   * - `environment`: no file
   */
  place: "project" | "user" | "environment";
  values?: readonly string[];
};

export const SETTINGS = {
  profile: {
    about: "Profile with the target of the commands",
    env: "FORMCTL_PROFILE",
    flag: "--profile",
    place: "project",
  },
  baseUrl: { about: "Server to use without a profile", env: "FORMCTL_BASE_URL", place: "environment" },
  timeout: {
    about: "Timeout of a request, in seconds",
    env: "FORMCTL_TIMEOUT",
    flag: "--timeout",
    place: "user",
  },
  maxRequestsPerSecond: {
    about: "Maximum number of requests per second to a server",
    env: "FORMCTL_MAX_RPS",
    flag: "--max-rps",
    place: "user",
  },
  store: {
    about: "File of the local store, or URL of a PostgreSQL database",
    env: "FORMCTL_STORE",
    flag: "--store",
    place: "user",
  },
  organization: {
    about: "Organization in the local store",
    env: "FORMCTL_ORGANIZATION",
    flag: "--organization",
    place: "user",
  },
  object: { about: "Default object of the commands", env: "FORMCTL_OBJECT", place: "project" },
  output: {
    about: "Output format",
    env: "FORMCTL_OUTPUT",
    flag: "-o",
    place: "user",
    values: ["table", "wide", "json", "jsonl", "yaml", "name"],
  },
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function settingRow(key: SettingKey): SettingRow {
  return SETTINGS[key];
}

/** @throws SETTING_INVALID for an unknown setting */
export function settingKey(text: string): SettingKey {
  const found = SETTING_KEYS.find((key) => key === text);
  if (found) return found;
  const near = nearest(text, SETTING_KEYS);
  throw new FormctlError(
    "SETTING_INVALID",
    `unknown setting "${text}"`,
    near ? `Did you mean ${near}?` : `Valid settings: ${SETTING_KEYS.join(", ")}`,
  );
}

/** @throws SETTING_INVALID if no settings file may set the setting, or the value is invalid */
export function requireSettable(key: SettingKey, value: string | null): void {
  const { place, values } = settingRow(key);
  if (value !== null) requireNoPassword(value);
  if (place === "environment")
    throw new FormctlError(
      "SETTING_INVALID",
      `${key} can't be set in a file`,
      "Add a profile: formctl profiles add NAME --base-url URL",
    );
  if (value !== null && values && !values.includes(value)) {
    const near = nearest(value, values);
    throw new FormctlError(
      "SETTING_INVALID",
      `${key} must be one of ${values.join(", ")}, not "${value}"`,
      near && `Did you mean ${near}?`,
    );
  }
  if (key === "timeout" && value !== null) parseTimeout(value);
  if (key === "maxRequestsPerSecond" && value !== null) parseRequestRate(value);
  if (key === "store" && value !== null) requireStore(value);
}

/**
 * Requires the path of a file, or the URL of a PostgreSQL database. The messages do not quote the URL, because it may
 * contain a password.
 *
 * @param options.mayHavePassword whether the URL comes from a place that other users can't read
 * @throws SETTING_INVALID
 */
export function requireStore(text: string, { mayHavePassword = false } = {}): void {
  refuseMistypedUrl(text);
  if (hasPassword(text) && !mayHavePassword) throw passwordShown();
}

/** Refuses a text of a settings file that may contain the password of a store or server. @throws SETTING_INVALID */
export function requireNoPassword(text: string): void {
  if (/^https?:/i.test(text) && hidePassword(text) === text) return;
  requireStore(text);
}

function passwordShown(): FormctlError {
  return new FormctlError(
    "SETTING_INVALID",
    "the URL of the store contains a password, which other users may read on the command line and in settings files",
    "Remove it from the URL, and specify it in PGPASSWORD or ~/.pgpass, or the whole URL in FORMCTL_STORE.",
  );
}

/** Parses a number of seconds, or a duration such as `90s` or `5m`. @returns milliseconds @throws SETTING_INVALID */
export function parseTimeout(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([sm]?)$/.exec(text) ?? [];
  const seconds = Number(number) * (unit === "m" ? 60 : 1);
  if (seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw new FormctlError(
    "SETTING_INVALID",
    `invalid timeout "${text}": must be a number of seconds up to 3600, such as 30, 90s or 5m`,
  );
}
