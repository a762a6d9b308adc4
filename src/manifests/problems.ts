/** Defines the codes and severities of problems in manifests. Builds, locates and collects problems. */

import { type LocatedError, problemsError } from "../documents/located-error.ts";
import { blockPaths } from "../schemas/block-paths.ts";
import type { Diagnostic, Located, Severity } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";

type Row = { severity: Severity; about: string };

const error = (about: string): Row => ({ severity: "error", about });
const warning = (about: string): Row => ({ severity: "warning", about });

/** All codes, in the order of the checks: files, documents, environment, layouts, comparisons of manifests, names. */
export const MANIFEST_CODES = {
  PATH_MISSING: error("A path of the command line or the project file does not exist."),
  PATH_UNREADABLE: error("A path can't be read, or is neither a file nor a folder."),
  PATH_OUTSIDE: error("A link points outside the project. Files outside are not read."),
  PATH_LIMIT: error("There are more than 20,000 files."),
  MANIFESTS_MISSING: error("No manifest was found, so nothing was checked."),

  MANIFEST_KIND: error("The kind of a document is missing or unknown."),
  MANIFEST_INVALID: error("A member of a manifest is missing, unknown or has a wrong value."),
  TOO_MANY_PROBLEMS: error("A file has more problems than are reported."),
  ORGANIZATION_INVALID: error("An organization file is invalid."),
  ENV_UNSET: error("A value uses an environment variable that is not set, without a default value."),
  ENV_REFUSED: error("A value uses an environment variable of formctl itself, or one that the project does not list."),
  ENV_SYNTAX: error("A value contains ${ without a valid name, or without the closing }."),
  ENV_TOO_LARGE: error("Environment variables make a file larger than the limit."),

  LAYOUT_FILE_MISSING: error("The layout file that a manifest names does not exist."),
  LAYOUT_OUTSIDE: error("A manifest names a layout file outside the project, or by an absolute path."),
  LAYOUT_INVALID: error("A layout is not a valid draft."),
  LAYOUT_UNREFERENCED: warning("No manifest names a layout file."),

  MANIFEST_DUPLICATE: error("Two manifests describe the same form or layout."),
  RENAME_CLASH: error("A former name is the present or former name of another manifest."),
  NAME_TWIN: warning("Two names differ only in case, or in characters that look the same."),
  OBJECT_UNKNOWN: warning("The organization has no such object."),
  OBJECT_SUBORDINATE: error("A manifest describes a form of a subordinate object, which can't have forms."),
  DEFAULT_MODE_UNSUPPORTED: error("A form is the default for a mode that it does not have."),
  DEFAULT_INACTIVE: error("An inactive form is a default."),
  DEFAULT_TWICE: error("Two forms of an object are the default for one mode."),
  ACCESS_MODE_UNSUPPORTED: error("Access is granted for a mode that the form does not have."),
  ACCESS_TWICE: error("A member or role is listed twice in one access matrix."),
  ASSIGNMENT_TWICE: error("A role is listed twice in the assignments of one layout."),
  ASSIGNMENT_DEFAULT_TWICE: error("Two layouts are the organization's default for one page and mode."),
  CONFIRMATION_UNKNOWN: error("confirmFieldChanges names a change that the layout does not stage."),

  ROLE_UNKNOWN: error("No role has this name."),
  ROLE_AMBIGUOUS: error("Several roles have this name."),
  MEMBER_UNKNOWN: error("No member has this e-mail address."),
  MEMBER_AMBIGUOUS: error("Several members have this e-mail address."),
} as const satisfies Record<string, Row>;

export type ManifestCode = keyof typeof MANIFEST_CODES;

export function manifestProblem(code: ManifestCode, message: string, path?: string): Diagnostic {
  return { severity: MANIFEST_CODES[code].severity, code, message, ...(path !== undefined && { path }) };
}

/** Returns a problem of a whole file, located at its start. */
export function fileProblem(code: ManifestCode, file: string, message: string): Located {
  return { ...manifestProblem(code, message), file, line: 1, column: 1 };
}

/** Adds the file and position to a diagnostic. */
export type Locate = (diagnostic: Diagnostic) => Located;

/**
 * Locates diagnostics of a layout's content. The location is the first of these that is known:
 *
 * - the path of the diagnostic
 * - the path of its block
 * - the start of the layout
 */
export function locateContent(
  { content, locate }: { content?: DraftContent; locate: Locate },
  diagnostics: readonly Diagnostic[],
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(content?.blocks ?? [])).get(id);
  return diagnostics.map((diagnostic) => {
    const { path = diagnostic.blockId === undefined ? undefined : pathOfBlock(diagnostic.blockId) } = diagnostic;
    return locate({ ...diagnostic, path: path ? `layout.${path}` : "layout" });
  });
}

/** The number of problems after which a file is not checked further. */
export const MAX_PROBLEMS = 500;

/**
 * Collects the problems of one file, at most `MAX_PROBLEMS`. TOO_MANY_PROBLEMS replaces the next problem. All later
 * problems are dropped.
 */
export function problemCollector(): { add: (found: Located) => void; isFull: () => boolean; all: Located[] } {
  const all: Located[] = [];
  return {
    all,
    isFull: () => all.length > MAX_PROBLEMS,
    add(found) {
      if (all.length > MAX_PROBLEMS) return;
      const { file, line, column } = found;
      const message = `the file has more problems than these ${MAX_PROBLEMS}. Correct them and check again`;
      all.push(
        all.length < MAX_PROBLEMS ? found : { ...manifestProblem("TOO_MANY_PROBLEMS", message), file, line, column },
      );
    },
  };
}

/**
 * Returns the error for manifests that can't be used. @param sources the texts of the files, to show the affected
 * lines
 */
export function invalidManifests(
  problems: readonly Located[],
  sources: ReadonlyMap<string, string>,
  hint?: string,
): LocatedError {
  return problemsError("MANIFESTS_INVALID", { problems, sources, hint }, "the manifests can't be used");
}
