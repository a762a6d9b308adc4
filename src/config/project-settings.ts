/** Reads the members that only a project file has, such as `manifests` and `references`. */

import { isAbsolute, normalize, sep, win32 } from "node:path";
import { isIdentifier } from "../schemas/words.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { type KeepRules, parseKeepPath } from "../schemas/keep-path.ts";
import { formatPath } from "../schemas/path.ts";

/** Ids by the names that manifests use. */
type IdsByName = Readonly<Record<string, string>>;
/** The kinds of records whose ids the project file contains. Each value is a description for the JSON Schema. */
export const REFERENCE_KINDS = {
  roles: "The id of each role, by the name in manifests",
  members: "The id of each membership, by e-mail address",
  scripts: "The id of each script, by its key, which bindings may contain instead of the id",
  fields: "The id of each field that a layout shows by its id, by MODULE/OBJECT/KEY or SURFACE/KEY",
  modules: "The key of each module that has another key on another target, by a name that is the same for all targets",
  others: "The ids of other records, such as saved queries, by a name that is the same for all targets",
} as const;
export type ReferenceKind = keyof typeof REFERENCE_KINDS;
type ReferencesOfOne = ProjectReferences[string];
/** The ids of records, by the name of a profile or the origin of a server. */
export type ProjectReferences = Readonly<
  Record<
    string,
    {
      readonly roles: Readonly<Record<string, string>>;
      readonly members: Readonly<Record<string, string>>;
      readonly scripts?: Readonly<Record<string, string>>;
      readonly fields?: Readonly<Record<string, string>>;
      readonly modules?: Readonly<Record<string, string>>;
      readonly others?: Readonly<Record<string, string>>;
    }
  >
>;

export type ProjectSettings = {
  /** A folder below the project file, as a path relative to it. */
  manifests?: string;
  /** A folder below the project file, as a path relative to it. */
  migrations?: string;
  references?: ProjectReferences;
  /** The environment variables that manifests may use. Undefined allows all that do not start with FORMCTL_. */
  variables?: readonly string[];
  /** What a promotion keeps on its target. */
  keep?: KeepRules;
};

export const PROJECT_MEMBERS = ["manifests", "migrations", "references", "variables", "promote"] as const;
type Report = (path: string, message: string) => void;

/** @param report receives each problem with its path in the file */
export function readProjectSettings(content: JsonObject, report: Report): ProjectSettings {
  const { references, variables, promote } = content;
  const manifests = readFolder(content, "manifests", report);
  const migrations = readFolder(content, "migrations", report);
  const ids = references === undefined ? undefined : readReferences(references, report);
  const names = variables === undefined ? undefined : readVariables(variables, report);
  return {
    ...(manifests !== undefined && { manifests }),
    ...(migrations !== undefined && { migrations }),
    ...(ids && { references: ids }),
    ...(names && { variables: names }),
    ...(promote !== undefined && { keep: readKeepRules(promote, report) }),
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
  const references: Record<string, ReferencesOfOne> = {};
  const kinds = Object.keys(REFERENCE_KINDS) as ReferenceKind[];
  if (!isJsonObject(value)) {
    report("references", "references must map a profile or the origin of a server to its roles and members");
    return references;
  }
  for (const [place, entry] of Object.entries(value)) {
    const path = ["references", place];
    if (!isJsonObject(entry)) {
      report(formatPath(path), `${formatPath(path)} must have roles or members`);
      continue;
    }
    for (const member of Object.keys(entry)) {
      if (kinds.some((kind) => kind === member)) continue;
      const unknown = formatPath([...path, member]);
      report(unknown, `unknown member ${unknown}. Valid members: ${kinds.join(", ")}`);
    }
    const present = kinds.filter((kind) => entry[kind] !== undefined);
    const ids = Object.fromEntries(present.map((kind) => [kind, readIds(entry[kind], [...path, kind], report)]));
    references[place] = { roles: {}, members: {}, ...ids };
  }
  return references;
}

function readKeepRules(promote: unknown, report: Report): KeepRules {
  if (!isJsonObject(promote) || !isJsonObject(promote["keep"] ?? {})) {
    report("promote", "promote must have keep, which maps addresses to paths");
    return {};
  }
  const { keep = {}, ...unknown } = promote;
  for (const member of Object.keys(unknown)) {
    const path = formatPath(["promote", member]);
    report(path, `unknown member ${path}. Valid members: keep`);
  }
  const rules = Object.entries(keep as JsonObject).map(([address, paths]) => {
    const path = ["promote", "keep", address];
    if (!Array.isArray(paths))
      report(formatPath(path), `${formatPath(path)} must be a list of paths, such as [isActive]`);
    const texts = (Array.isArray(paths) ? (paths as unknown[]) : []).filter((text, index): text is string => {
      const parsed = parseKeepPath(typeof text === "string" ? text : "");
      const at = formatPath([...path, index]);
      if ("problem" in parsed) report(at, `${at} ${parsed.problem}`);
      return !("problem" in parsed);
    });
    return [address, texts] as const;
  });
  return Object.fromEntries(rules);
}

function readIds(value: unknown, path: readonly string[], report: Report): IdsByName {
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
