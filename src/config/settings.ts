/** Settings: flag > environment > project file > user file > built in; each value says where it came from. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Located } from "../schemas/diagnostic.ts";
import { isJsonObject } from "../schemas/json.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Directories, defaultStorePath, directories, userFilePath } from "./directories.ts";
import { findProjectFile } from "./project-file.ts";

type SettingRow = {
  about: string;
  env: string;
  flag?: string;
  /** A repository may set it: it can't lead a command to another place. */
  inProject: boolean;
  values?: readonly string[];
};

/** Every setting there is. */
export const SETTINGS = {
  store: { about: "File of the local store", env: "FORMCTL_STORE", flag: "--store", inProject: false },
  organization: {
    about: "Organization of the local store to work in",
    env: "FORMCTL_ORGANIZATION",
    flag: "--organization",
    inProject: false,
  },
  object: { about: "Object that a command means when none is named", env: "FORMCTL_OBJECT", inProject: true },
  output: {
    about: "How answers are printed",
    env: "FORMCTL_OUTPUT",
    flag: "-o",
    inProject: false,
    values: ["table", "json", "jsonl", "yaml", "name"],
  },
} as const satisfies Record<string, SettingRow>;

export type SettingKey = keyof typeof SETTINGS;
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** A setting that does not exist, or a value that it can't have. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export type SettingValue = { key: SettingKey; value: string | null; source: string };
export type SettingsFile = { kind: "project" | "user"; path: string; exists: boolean };
type FileValues = { path: string; values: Partial<Record<SettingKey, string>> };

export type LoadedSettings = {
  get(key: SettingKey): string | undefined;
  all(): SettingValue[];
  set(key: string, value: string | null): Promise<string>;
  files(): SettingsFile[];
  key(text: string): SettingKey;
};

/**
 * Reads what there is; a file is opened only if it exists.
 *
 * @param flags settings given on the command line
 * @throws InvalidDocument when a file can't be read or holds what it may not
 */
export async function loadSettings(options: {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  flags: Partial<Record<SettingKey, string>>;
}): Promise<LoadedSettings> {
  const { env, cwd, flags } = options;
  const places = directories(env);
  const userPath = userFilePath(places);
  const projectPath = findProjectFile(cwd);
  const project = projectPath === undefined ? undefined : await readSettingsFile(projectPath, "project");
  const user = existsSync(userPath) ? await readSettingsFile(userPath, "user") : undefined;

  const find = (key: SettingKey): SettingValue => {
    const row: SettingRow = SETTINGS[key];
    const fromFlag = flags[key];
    if (fromFlag !== undefined) return { key, value: fromFlag, source: `flag ${row.flag}` };
    const fromEnv = env[row.env];
    if (fromEnv) return { key, value: fromEnv, source: `environment ${row.env}` };
    for (const file of [project, user]) {
      const value = file?.values[key];
      if (file && value !== undefined) return { key, value, source: file.path };
    }
    const builtIn = builtInValue(key, places);
    return { key, value: builtIn, source: builtIn === null ? "not set" : "built in" };
  };
  return {
    get: (key) => find(key).value ?? undefined,
    all: () => SETTING_KEYS.map(find),
    set: (key, value) => writeUserSetting(userPath, user?.values ?? {}, settingKey(key), value),
    files: () => [
      ...(projectPath === undefined ? [] : [{ kind: "project" as const, path: projectPath, exists: true }]),
      { kind: "user", path: userPath, exists: user !== undefined },
    ],
    key: settingKey,
  };
}

function builtInValue(key: SettingKey, places: Directories): string | null {
  if (key === "store") return defaultStorePath(places);
  return key === "output" ? "table" : null;
}

function settingKey(text: string): SettingKey {
  const found = SETTING_KEYS.find((key) => key === text);
  if (found) return found;
  const near = nearest(text, SETTING_KEYS);
  throw new SettingError(
    `there is no setting "${text}"`,
    near ? `Did you mean ${near}?` : `There are: ${SETTING_KEYS.join(", ")}`,
  );
}

/** The YAML reader is loaded only where there is a file to read. */
async function readSettingsFile(path: string, kind: SettingsFile["kind"]): Promise<FileValues> {
  const { readDocument } = await import("../documents/document.ts");
  const { InvalidDocument } = await import("../documents/invalid-document.ts");
  const document = readDocument(readFileSync(path), path);
  const problems: Located[] = [];
  const report = (key: string, message: string) =>
    problems.push({
      severity: "error",
      code: "SETTING_INVALID",
      message,
      path: key,
      file: path,
      ...document.locate(key),
    });
  const values: FileValues["values"] = {};
  const entries = isJsonObject(document.value) ? Object.entries(document.value) : [];
  if (!isJsonObject(document.value)) report("", "the file must be a list of settings, such as `output: json`");
  for (const [key, value] of entries) {
    const known = SETTING_KEYS.find((each) => each === key);
    if (!known) report(key, `${key} is not a setting; there are ${SETTING_KEYS.join(", ")}`);
    else if (typeof value !== "string") report(key, `${key} must be text`);
    else if (kind === "project" && !SETTINGS[known].inProject) {
      report(key, `${key} may not be set by a project: put it into your own file with \`formctl config set ${key} …\``);
    } else values[known] = value;
  }
  if (problems.length > 0) throw new InvalidDocument(path, document.text, problems);
  return { path, values };
}

/** The old file or the new one is there whole, whatever happens in between. */
async function writeUserSetting(
  path: string,
  values: FileValues["values"],
  key: SettingKey,
  value: string | null,
): Promise<string> {
  const allowed: readonly string[] | undefined = (SETTINGS[key] as SettingRow).values;
  if (value !== null && allowed && !allowed.includes(value)) {
    throw new SettingError(`${key} must be one of ${allowed.join(", ")}, not "${value}"`);
  }
  const { [key]: _former, ...others } = values;
  const next = value === null ? others : { ...others, [key]: value };
  const { toYaml } = await import("../documents/write-yaml.ts");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeSync(file, Object.keys(next).length === 0 ? "{}\n" : toYaml(next));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  return path;
}
