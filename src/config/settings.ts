/**
 * Loads the settings of a command. Each value has its source. The sources in order of precedence: flag, environment,
 * project file, user file, built in.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";
import type { LockHost } from "../disk/process-lock.ts";
import type { Host } from "../base/host.ts";
import { hidePassword } from "../base/database-url.ts";
import type { NamedProfile, Profile, Profiles } from "./profiles.ts";
import { findProjectFile, findRepository } from "./project-file.ts";
import { membersOf, type ProjectMembers, readContent } from "./read-project.ts";
import { requireSettable, SETTING_KEYS, type SettingKey, settingKey, settingRow } from "./setting-rows.ts";
import { changeUserFile, readSettingsFile } from "./settings-file.ts";

/** The sources of settings, in descending order of precedence. */
export const LEVELS = ["flag", "environment", "project", "user"] as const;
export type Level = (typeof LEVELS)[number];

export type SettingValue = { key: SettingKey; value: string | null; source: string };
export type SettingsFile = { kind: "project" | "user"; path: string; exists: boolean };

export type LoadedSettings = {
  get(key: SettingKey): string | undefined;
  /** The value that this level sets. A level with higher precedence may override it. */
  at(level: Level, key: SettingKey): string | undefined;
  /** All settings. Addresses contain no passwords, so all values can be printed. */
  all(): SettingValue[];
  set(key: string, value: string | null): Promise<string>;
  files(): SettingsFile[];
  key(text: string): SettingKey;
  profiles(): NamedProfile[];
  /**
   * Adds or replaces a profile in the user file. Null removes the profile. If it is the default profile, also removes
   * the setting `profile`.
   *
   * @returns the path of the file
   */
  setProfile(name: string, profile: Profile | null): Promise<string>;
  credentialsPath: string;
  /** The file that remembers which drafts this user saved. */
  savedDraftsPath: string;
  /**
   * The folder of the files that `layouts edit` and `forms edit` open. If a change could not be sent, its file is kept.
   */
  editsFolder: string;
} & ProjectMembers;

/**
 * @param flags settings from the command line
 * @param readFiles false ignores the content of the files. Some commands must work even with an invalid file
 * @throws INVALID_FILE if a file is invalid
 * @throws the system error if a file can't be read
 */
export async function loadSettings(options: {
  host: LockHost & Pick<Host, "env" | "cwd">;
  flags: Partial<Record<SettingKey, string>>;
  readFiles?: boolean;
}): Promise<LoadedSettings> {
  const { host, flags, readFiles = true } = options;
  const { env, cwd } = host;
  const folders = directories(env);
  const userPath = userFilePath(folders);
  const projectFile = findProjectFile(cwd);
  const projectPath = projectFile?.path;
  const hasUserFile = existsSync(userPath);
  const project = readFiles && projectFile ? await readContent(projectFile, findRepository(cwd)) : undefined;
  const user = readFiles && hasUserFile ? await readSettingsFile(userPath, "user") : undefined;
  const profiles: Profiles = user?.profiles ?? {};
  const root = projectPath === undefined ? findRepository(cwd) : dirname(projectPath);

  const at: LoadedSettings["at"] = (level, key) => {
    switch (level) {
      case "flag":
        return flags[key];
      case "environment":
        return env[settingRow(key).env] || undefined;
      case "project":
        return project?.values[key];
      case "user":
        return user?.values[key];
    }
    return level satisfies never;
  };
  const sourceAt = (level: Level, key: SettingKey): string => {
    const { flag, env: variable } = settingRow(key);
    const sources: Record<Level, string> = {
      flag: `flag ${flag}`,
      environment: `environment ${variable}`,
      project: projectPath ?? "",
      user: userPath,
    };
    return sources[level];
  };
  const find = (key: SettingKey): SettingValue => {
    for (const level of LEVELS) {
      const value = at(level, key);
      if (value !== undefined) return { key, value, source: sourceAt(level, key) };
    }
    const builtIn = builtInValue(key, folders);
    return { key, value: builtIn, source: builtIn === null ? "not set" : "built in" };
  };
  return {
    get: (key) => find(key).value ?? undefined,
    at,
    all: () => SETTING_KEYS.map(find).map(withoutPassword),
    async set(text, value) {
      const key = settingKey(text);
      requireSettable(key, value);
      return changeUserFile(userPath, host, ({ profiles: kept, values: { [key]: _former, ...others } }) => ({
        profiles: kept,
        values: value === null ? others : { ...others, [key]: value },
      }));
    },
    files: () => [
      ...(projectPath === undefined ? [] : [{ kind: "project" as const, path: projectPath, exists: true }]),
      { kind: "user", path: userPath, exists: hasUserFile },
    ],
    key: settingKey,
    profiles: () => Object.entries(profiles).map(([name, profile]) => ({ name, profile })),
    async setProfile(name, profile) {
      return changeUserFile(userPath, host, (content) => {
        const { [name]: _former, ...others } = content.profiles;
        const { profile: used, ...values } = content.values;
        const kept = used !== undefined && !(profile === null && used === name) ? { profile: used } : {};
        return {
          values: { ...kept, ...values },
          profiles: profile === null ? others : { ...others, [name]: profile },
        };
      });
    },
    credentialsPath: credentialsPath(folders),
    savedDraftsPath: join(folders.data, "saved-drafts"),
    editsFolder: join(folders.data, "edits"),
    ...membersOf(root, project?.project),
  };
}

function withoutPassword(setting: SettingValue): SettingValue {
  return setting.value === null ? setting : { ...setting, value: hidePassword(setting.value) };
}

function builtInValue(key: SettingKey, folders: Directories): string | null {
  if (key === "store") return defaultStorePath(folders);
  if (key === "timeout") return "30";
  return key === "output" ? "table" : null;
}

type Directories = { config: string; data: string };

/**
 * Returns the folders of formctl's files. FORMCTL_HOME replaces the standard folders of the platform. On Linux, the XDG
 * Base Directory Specification defines these folders.
 */
function directories(env: Readonly<Record<string, string | undefined>>): Directories {
  const home = env["FORMCTL_HOME"];
  if (home) return { config: home, data: home };
  const { config, data } = envPaths("formctl", { suffix: "" });
  return { config, data };
}

function defaultStorePath({ data }: Directories): string {
  return join(data, "local.db");
}

function userFilePath({ config }: Directories): string {
  return join(config, "config.yaml");
}

function credentialsPath({ config }: Directories): string {
  return join(config, "credentials.yaml");
}
