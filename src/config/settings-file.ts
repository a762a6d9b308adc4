/** A file of settings, as it is read and written. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { staysInside } from "../disk/inside.ts";
import type { Turns } from "../disk/hold-in-turn.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { isJsonObject } from "../schemas/json.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Profiles, readProfiles } from "./profiles.ts";
import { PROJECT_MEMBERS, type ProjectSettings, readProjectSettings } from "./project-settings.ts";
import { SETTING_KEYS, type SettingKey, settingRow } from "./setting-rows.ts";

export type FileContent = {
  values: Partial<Record<SettingKey, string>>;
  profiles: Profiles;
  /** Of a project's file. */
  project?: ProjectSettings;
};

/**
 * The YAML reader is loaded only where there is a file to read.
 *
 * @param kind a project may not say where requests and tokens go: its file comes with a repository that anybody wrote
 * @throws INVALID_FILE when it can't be read or holds what it may not
 */
export async function readSettingsFile(path: string, kind: "project" | "user"): Promise<FileContent> {
  const { readDocument } = await import("../documents/document.ts");
  const { invalidDocument } = await import("../documents/invalid-document.ts");
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
  const values: FileContent["values"] = {};
  let profiles: Profiles = {};
  const entries = isJsonObject(document.value) ? Object.entries(document.value) : [];
  if (!isJsonObject(document.value)) report("", "the file must be a list of settings, such as `output: json`");
  for (const [key, value] of entries) {
    const known = SETTING_KEYS.find((each) => each === key);
    const place = known && settingRow(known).place;
    if (PROJECT_MEMBERS.some((each) => each === key)) {
      if (kind === "user") report(key, `${key} belongs into the file of a project, formctl.yaml`);
    } else if (key === "profiles" && kind === "user") profiles = readProfiles(value, report);
    else if (key === "profiles") report(key, "profiles may not be set by a project: see formctl profiles add");
    else if (!known || !place) report(key, `${key} is not a setting${meantBy(key, kind)}`);
    else if (place === "environment") report(key, `${key} belongs into a profile: see formctl profiles add`);
    else if (typeof value !== "string" && typeof value !== "number") report(key, `${key} must be text`);
    else if (kind === "project" && place !== "project") {
      report(key, `${key} may not be set by a project: put it into your own file with \`formctl config set ${key} …\``);
    } else values[known] = String(value);
  }
  const project = kind === "project" && isJsonObject(document.value) ? readProjectSettings(document.value, report) : {};
  if (project.manifests !== undefined && !staysInside(dirname(path), join(dirname(path), project.manifests)))
    report("manifests", "manifests leads out of the project through a link, where nothing is read");
  if (problems.length > 0) throw invalidDocument(path, document.text, problems);
  return { values, profiles, project };
}

/** The one that is close to it, else all that such a file may hold. */
function meantBy(key: string, kind: "project" | "user"): string {
  const settings = SETTING_KEYS.filter((each) => {
    const { place } = settingRow(each);
    return place === "project" || (kind === "user" && place === "user");
  });
  const members = [...settings, ...(kind === "project" ? PROJECT_MEMBERS : ["profiles"])];
  const meant = nearest(key, members);
  return meant === undefined ? `; there are ${members.join(", ")}` : ` - did you mean "${meant}"?`;
}

/**
 * Changes what a user's file says now, which another process may have changed since this one began.
 *
 * @returns the path @throws FILE_UNWRITABLE, FILE_HELD, INVALID_FILE
 */
export async function changeUserFile(
  path: string,
  turns: Turns,
  change: (content: FileContent) => FileContent,
): Promise<string> {
  const { changePrivateFile } = await import("./private-file.ts");
  const { toYaml } = await import("../documents/write-yaml.ts");
  await changePrivateFile(path, turns, async () => {
    const { values, profiles } = change(
      existsSync(path) ? await readSettingsFile(path, "user") : { values: {}, profiles: {} },
    );
    const content = { ...values, ...(Object.keys(profiles).length > 0 && { profiles }) };
    return Object.keys(content).length === 0 ? "{}\n" : toYaml(content);
  });
  return path;
}
