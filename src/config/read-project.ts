/** Reads the project file: its settings, and the members that only a project file has. */

import { basename, dirname, join, resolve } from "node:path";
import { staysInside } from "../disk/links.ts";
import type { KeepRules } from "../schemas/keep-path.ts";
import { findProjectFile, findRepository, type ProjectFile } from "./project-file.ts";
import type { ProjectReferences, ProjectSettings } from "./project-settings.ts";
import { type FileContent, readSettingsFile } from "./settings-file.ts";

/** The members that only a project file has, with absolute paths and default values. */
export type ProjectMembers = {
  /**
   * The root of the project. This is the first of these folders that exists:
   * - the folder of the project file
   * - the folder that contains `.git`
   * - the working directory
   */
  root: string;
  /** The absolute path of the folder of the manifests. Undefined if the project file does not set this folder. */
  manifests: string | undefined;
  /** The absolute path of the folder of the migrations. Default: `migrations` in the root. */
  migrations: string;
  /** The environment variables that manifests may use. Undefined allows all that do not start with FORMCTL_. */
  variables: readonly string[] | undefined;
  /** The ids of roles, members and other records by name, for each profile or origin. */
  references: ProjectReferences;
  /** The members that a promotion does not change on its target. */
  keep: KeepRules;
};

/** The content of a project file. */
export type ProjectFileContent = ProjectMembers & {
  /** The absolute path of the file. */
  path: string;
  /** The default profile of the commands. Open it with `openProfile(profile, { namedBy: "project" })`. */
  profile: string | undefined;
  /** The default object of the commands, such as `staffing/candidate`. */
  object: string | undefined;
};

/**
 * Reads the project file of a folder: `formctl.yaml`, `formctl.yml` or `formctl.json`. Searches the folder and its
 * parents, up to the folder that contains `.git`.
 *
 * @returns undefined if there is no project file
 * @throws INVALID_FILE with every problem at its line
 * @throws FILE_UNFIT if another user may have planted the file
 */
export async function readProject(folder: string): Promise<ProjectFileContent | undefined> {
  const from = resolve(folder);
  const file = findProjectFile(from);
  if (!file) return undefined;
  const { values, project } = await readContent(file, findRepository(from));
  const { profile, object } = values;
  return { path: file.path, profile, object, ...membersOf(dirname(file.path), project) };
}

export function membersOf(root: string, project: ProjectSettings = {}): ProjectMembers {
  const { manifests, migrations = "migrations", variables, references = {}, keep = {} } = project;
  return {
    root,
    manifests: manifests === undefined ? undefined : join(root, manifests),
    migrations: join(root, migrations),
    variables,
    references,
    keep,
  };
}

/** Reads the content of a project file. @throws INVALID_FILE */
export async function readContent({ path, bytes, twin }: ProjectFile, repository: string): Promise<FileContent> {
  if (twin !== undefined) {
    const message = `a project has one settings file, and ${basename(path)} exists too. Merge the two files and delete one`;
    await refuseFile(twin, message);
  }
  if (!staysInside(repository, path)) {
    await refuseFile(path, "is a link to a file outside the project and is not read. Replace it with a file");
  }
  return readSettingsFile(path, "project", bytes);
}

/** Refuses a project file. The error does not quote the file. @throws INVALID_FILE */
async function refuseFile(file: string, message: string): Promise<never> {
  const { invalidDocument } = await import("../documents/problems.ts");
  const problem = { severity: "error", code: "SETTING_INVALID", message, file, line: 1, column: 1 } as const;
  throw invalidDocument(file, "", [problem]);
}
