/** Reads and writes a settings file. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { staysInside } from "../disk/links.ts";
import { refusePlanted } from "../disk/owners.ts";
import { readWithin } from "../disk/read-file.ts";
import type { LockHost } from "../disk/process-lock.ts";
import type { Document } from "../documents/document.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { isJsonObject } from "../schemas/json.ts";
import { nearest } from "../base/nearest.ts";
import { type Profiles, readProfiles } from "./profiles.ts";
import { PROJECT_MEMBERS, type ProjectSettings, readProjectSettings } from "./project-settings.ts";
import { requireNoPassword, SETTING_KEYS, type SettingKey, settingRow } from "./setting-rows.ts";

export type FileContent = {
  values: Partial<Record<SettingKey, string>>;
  profiles: Profiles;
  /** The members that only a project file has. */
  project?: ProjectSettings;
};

/**
 * Reads a settings file. Loads the YAML reader only here, because a command without settings files does not need it.
 *
 * @param kind A project file comes from a repository, which any user may have written. Therefore a project file may not
 *   set the server that receives requests and tokens
 * @param bytes the content, if it is already known
 * @throws INVALID_FILE if the file is invalid
 * @throws SETTING_INVALID if the file contains the password of a database
 * @throws FILE_UNFIT if another user may have planted the file of the user
 * @throws FILE_UNFIT if the file is too large
 * @throws the system error if the file can't be read
 */
export async function readSettingsFile(
  path: string,
  kind: "project" | "user",
  bytes: Uint8Array = readWithin(path, MAX_FILE_BYTES),
): Promise<FileContent> {
  if (kind === "user") refusePlanted(path);
  const { invalidDocument } = await import("../documents/problems.ts");
  const document = await readSettings(bytes, path);
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
  const values: FileContent["values"] = {};
  let profiles: Profiles = {};
  const entries = isJsonObject(document.value) ? Object.entries(document.value) : [];
  if (!isJsonObject(document.value)) report("", "the file must map settings to values, such as `output: json`");
  for (const [key, value] of entries) {
    const known = SETTING_KEYS.find((each) => each === key);
    const place = known && settingRow(known).place;
    if (PROJECT_MEMBERS.some((each) => each === key)) {
      if (kind === "user") report(key, `${key} belongs in the project file, formctl.yaml`);
    } else if (key === "profiles" && kind === "user") profiles = readProfiles(value, report);
    else if (key === "profiles") report(key, "profiles can't be set in a project file. Use: formctl profiles add");
    else if (!known || !place) report(key, `unknown setting "${key}"${suggestion(key, kind)}`);
    else if (place === "environment") report(key, `${key} belongs in a profile. Use: formctl profiles add`);
    else if (typeof value !== "string" && typeof value !== "number") report(key, `${key} must be text`);
    else if (kind === "project" && place !== "project") {
      report(key, `${key} can't be set in a project file. Set it in your own file: formctl config set ${key} VALUE`);
    } else values[known] = String(value);
  }
  const project = kind === "project" && isJsonObject(document.value) ? readProjectSettings(document.value, report) : {};
  for (const member of ["manifests", "migrations"] as const) {
    const folder = project[member];
    if (folder !== undefined && !staysInside(dirname(path), join(dirname(path), folder)))
      report(member, `${member} follows a link to a folder outside the project, which is not read`);
  }
  // Passwords are refused first. The report of another problem would show lines of the file, and with them the
  // password.
  for (const text of textsIn(document.value)) requireNoPassword(text);
  if (problems.length > 0) throw invalidDocument(path, document.text, problems);
  return { values, profiles, project };
}

/** A file without settings, such as one in which all lines are comments, is read as an empty mapping. */
async function readSettings(bytes: Uint8Array, path: string): Promise<Document> {
  const [{ readDocument }, { LocatedError }] = await Promise.all([
    import("../documents/document.ts"),
    import("../documents/located-error.ts"),
  ]);
  try {
    return readDocument(bytes, path);
  } catch (error) {
    if (error instanceof LocatedError && error.problems[0]?.code === "FILE_EMPTY") return readDocument("{}", path);
    throw error;
  }
}

/** Returns the texts of the settings, and of the profiles. */
function textsIn(value: unknown): string[] {
  const own = isJsonObject(value) ? Object.values(value) : [];
  const profiles = isJsonObject(value) && isJsonObject(value["profiles"]) ? Object.values(value["profiles"]) : [];
  const members = profiles.flatMap((profile) => (isJsonObject(profile) ? Object.values(profile) : []));
  return [...own, ...members].filter((each) => typeof each === "string");
}

/** Returns the end of a message. This is the setting with the most similar name, or the list of all valid settings. */
function suggestion(key: string, kind: "project" | "user"): string {
  const settings = SETTING_KEYS.filter((each) => {
    const { place } = settingRow(each);
    return place === "project" || (kind === "user" && place === "user");
  });
  const members = [...settings, ...(kind === "project" ? PROJECT_MEMBERS : ["profiles"])];
  const meant = nearest(key, members);
  return meant === undefined ? `. Valid settings: ${members.join(", ")}` : `. Did you mean "${meant}"?`;
}

/**
 * Changes the user's file. Reads the current content first, because another process may have changed the file.
 *
 * @returns the path
 * @throws FILE_UNWRITABLE, FILE_HELD, INVALID_FILE
 */
export async function changeUserFile(
  path: string,
  host: LockHost,
  change: (content: FileContent) => FileContent,
): Promise<string> {
  const { changePrivateFile } = await import("../disk/write-file.ts");
  const { toYaml } = await import("../documents/write-yaml.ts");
  await changePrivateFile(path, host, async () => {
    const { values, profiles } = change(
      existsSync(path) ? await readSettingsFile(path, "user") : { values: {}, profiles: {} },
    );
    const content = { ...values, ...(Object.keys(profiles).length > 0 && { profiles }) };
    return Object.keys(content).length === 0 ? "{}\n" : toYaml(content);
  });
  return path;
}
