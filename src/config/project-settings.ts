/**
 * Reads the members that only a project file has: the folders of manifests and migrations, the variables of manifests,
 * the ids of roles and members.
 */

import { isAbsolute, normalize, sep, win32 } from "node:path";
import { isIdentifier } from "../schemas/words.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { formatPath } from "../schemas/path.ts";

/** Ids by the names that manifests use. */
export type NamedIds = Readonly<Record<string, string>>;
/** The ids of roles and members, by the name of a profile or the origin of a server. */
export type ProjectReferences = Readonly<Record<string, { roles: NamedIds; members: NamedIds }>>;

export type ProjectSettings = {
  /** A folder below the project file, as a path relative to it. */
  manifests?: string;
  /** A folder below the project file, as a path relative to it. */
  migrations?: string;
  references?: ProjectReferences;
  /** The environment variables that manifests may use. Undefined allows all that do not start with FORMCTL_. */
  variables?: readonly string[];
};

export const PROJECT_MEMBERS = ["manifests", "migrations", "references", "variables"] as const;
type Report = (path: string, message: string) => void;

/** @param report receives each problem with its path in the file */
export function readProjectSettings(content: JsonObject, report: Report): ProjectSettings {
  const { references, variables } = content;
  const manifests = readFolder(content, "manifests", report);
  const migrations = readFolder(content, "migrations", report);
  const ids = references === undefined ? undefined : readReferences(references, report);
  const names = variables === undefined ? undefined : readVariables(variables, report);
  return {
    ...(manifests !== undefined && { manifests }),
    ...(migrations !== undefined && { migrations }),
    ...(ids && { references: ids }),
    ...(names && { variables: names }),
  };
}

export const VARIABLE_NAME = /^(?!FORMCTL_)[A-Za-z_][A-Za-z0-9_]*$/;

function readVariables(value: unknown, report: Report): readonly string[] {
  if (!Array.isArray(value)) report("variables", "variables must be a list of names, such as `variables: [TITLE]`");
  const names: unknown[] = Array.isArray(value) ? value : [];
  return names.filter((name, index): name is string => {
    const isName = typeof name === "string" && VARIABLE_NAME.test(name);
    const path = formatPath(["variables", index]);
    if (!isName) report(path, `${path} must be the name of an environment variable that does not start with FORMCTL_`);
    return isName;
  });
}

/** Examples of folders, for messages. */
const FOLDERS = { manifests: "forms", migrations: "changes" } as const;

function readFolder(content: JsonObject, member: keyof typeof FOLDERS, report: Report): string | undefined {
  const value = content[member];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value === "") {
    report(member, `${member} must be a folder, such as \`${member}: ${FOLDERS[member]}\``);
    return undefined;
  }
  const path = normalize(value);
  if (isAbsolute(value) || win32.isAbsolute(value) || path === ".." || path.startsWith(`..${sep}`)) {
    report(member, `${member} must be a folder below the project file, relative to it`);
    return undefined;
  }
  return value;
}

function readReferences(value: unknown, report: Report): ProjectReferences {
  const references: Record<string, { roles: NamedIds; members: NamedIds }> = {};
  if (!isJsonObject(value))
    report("references", "references must map a profile or the origin of a server to its roles and members");
  else {
    for (const [place, entry] of Object.entries(value)) {
      const path = ["references", place];
      if (!isJsonObject(entry)) {
        report(formatPath(path), `${formatPath(path)} must have roles or members`);
        continue;
      }
      const { roles, members, ...unknown } = entry;
      for (const member of Object.keys(unknown)) {
        report(
          formatPath([...path, member]),
          `unknown member ${formatPath([...path, member])}. Valid members: roles, members`,
        );
      }
      references[place] = {
        roles: readIds(roles, [...path, "roles"], report),
        members: readIds(members, [...path, "members"], report),
      };
    }
  }
  return references;
}

function readIds(value: unknown, path: readonly string[], report: Report): NamedIds {
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    report(formatPath(path), `${formatPath(path)} must map names to ids`);
    return {};
  }
  const ids: Record<string, string> = {};
  for (const [name, id] of Object.entries(value)) {
    if (typeof id === "string" && isIdentifier(id)) ids[name] = id;
    else report(formatPath([...path, name]), `${formatPath([...path, name])} must be an id`);
  }
  return ids;
}
