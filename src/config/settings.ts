/** Settings: flag > environment > project file > user file > built in; each value says where it came from. */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Directories, credentialsPath, defaultStorePath, directories, userFilePath } from "./directories.ts";
import { staysInside } from "../disk/inside.ts";
import type { Turns } from "../disk/hold-in-turn.ts";
import type { NamedProfile, Profile, Profiles } from "./profiles.ts";
import { findProjectFile, findRepository, projectTwins } from "./project-file.ts";
import type { ProjectReferences } from "./project-settings.ts";
import { requireSettable, SETTING_KEYS, type SettingKey, settingKey, settingRow } from "./setting-rows.ts";
import { changeUserFile, type FileContent, readSettingsFile } from "./settings-file.ts";

/** From the strongest to the weakest. */
export const LEVELS = ["flag", "environment", "project", "user"] as const;
export type Level = (typeof LEVELS)[number];

export type SettingValue = { key: SettingKey; value: string | null; source: string };
export type SettingsFile = { kind: "project" | "user"; path: string; exists: boolean };

export type LoadedSettings = {
  get(key: SettingKey): string | undefined;
  /** What one level alone says. */
  at(level: Level, key: SettingKey): string | undefined;
  all(): SettingValue[];
  set(key: string, value: string | null): Promise<string>;
  files(): SettingsFile[];
  key(text: string): SettingKey;
  profiles(): NamedProfile[];
  /** Adds or replaces a profile, or with null removes it. @returns the file */
  setProfile(name: string, profile: Profile | null): Promise<string>;
  credentialsPath: string;
  /** The folder of the project: of its file, else the one that holds `.git`, else the working directory. */
  root: string;
  /** The folder of the manifests, as an absolute path, where the project names one. */
  manifests: string | undefined;
  /** The environment variables that manifests may use; undefined: the project does not say. */
  variables: readonly string[] | undefined;
  /** Names of roles and members with their ids, by profile or origin. */
  references: ProjectReferences;
};

/**
 * Reads what there is; a file is opened only if it exists.
 *
 * @param flags settings given on the command line
 * @param readFiles false leaves out what files say: for what is wanted just because one of them is broken
 * @throws INVALID_FILE when a file can't be read or holds what it may not
 */
export async function loadSettings(options: {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  flags: Partial<Record<SettingKey, string>>;
  /** By which it is one's turn to change the user's file. */
  turns: Turns;
  readFiles?: boolean;
}): Promise<LoadedSettings> {
  const { env, cwd, flags, turns, readFiles = true } = options;
  const places = directories(env);
  const userPath = userFilePath(places);
  const projectPath = findProjectFile(cwd);
  const hasUserFile = existsSync(userPath);
  const read = async (path: string, kind: "project" | "user"): Promise<FileContent | undefined> =>
    readFiles ? readSettingsFile(path, kind) : undefined;
  const [twin] = readFiles && projectPath !== undefined ? projectTwins(projectPath) : [];
  if (twin !== undefined) await refuseFile(twin, twinOf(projectPath!));
  if (readFiles && projectPath !== undefined && !staysInside(findRepository(cwd), projectPath))
    await refuseFile(projectPath, LEADS_OUT);
  const project = projectPath === undefined ? undefined : await read(projectPath, "project");
  const user = hasUserFile ? await read(userPath, "user") : undefined;
  const profiles: Profiles = user?.profiles ?? {};
  const root = projectPath === undefined ? findRepository(cwd) : dirname(projectPath);
  const folder = project?.project?.manifests;

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
    const builtIn = builtInValue(key, places);
    return { key, value: builtIn, source: builtIn === null ? "not set" : "built in" };
  };
  return {
    get: (key) => find(key).value ?? undefined,
    at,
    all: () => SETTING_KEYS.map(find),
    async set(text, value) {
      const key = settingKey(text);
      requireSettable(key, value);
      return changeUserFile(userPath, turns, ({ profiles: kept, values: { [key]: _former, ...others } }) => ({
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
      return changeUserFile(userPath, turns, (content) => {
        const { [name]: _former, ...others } = content.profiles;
        const { profile: used, ...values } = content.values;
        const kept = used !== undefined && !(profile === null && used === name) ? { profile: used } : {};
        return {
          values: { ...kept, ...values },
          profiles: profile === null ? others : { ...others, [name]: profile },
        };
      });
    },
    credentialsPath: credentialsPath(places),
    root,
    manifests: folder === undefined ? undefined : join(root, folder),
    variables: project?.project?.variables,
    references: project?.project?.references ?? {},
  };
}

function builtInValue(key: SettingKey, places: Directories): string | null {
  if (key === "store") return defaultStorePath(places);
  if (key === "timeout") return "30";
  return key === "output" ? "table" : null;
}

const LEADS_OUT = "is a link that leads out of the project, and is not read. Put a file in its place";

/** What one of them says, the other would say in vain. */
function twinOf(path: string): string {
  return `stands beside ${basename(path)}, and a project has one such file. Put all into one of them, and remove the other`;
}

/** @throws INVALID_FILE, always: nothing of the file is shown */
async function refuseFile(file: string, message: string): Promise<never> {
  const { invalidDocument } = await import("../documents/invalid-document.ts");
  const problem = { severity: "error", code: "SETTING_INVALID", message, file, line: 1, column: 1 } as const;
  throw invalidDocument(file, "", [problem]);
}
