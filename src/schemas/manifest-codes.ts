/** Every complaint about manifests themselves and the files that they stand in: how bad it is, and what it is about. */

import type { Severity } from "./diagnostic.ts";

type Row = { severity: Severity; about: string };

const error = (about: string): Row => ({ severity: "error", about });
const warning = (about: string): Row => ({ severity: "warning", about });

/** In the order in which they are found: files, documents, environment, layouts, manifests side by side, names. */
export const MANIFEST_CODES = {
  PATH_MISSING: error("There is no file or folder at a path that was typed or set."),
  PATH_UNREADABLE: error("A file or folder can't be read, or is neither."),
  PATH_OUTSIDE: error("A link leads out of the project, where nothing is read."),
  PATH_LIMIT: error("There are more than 20,000 files."),
  MANIFESTS_MISSING: error("No manifest was found: nothing has been checked."),

  MANIFEST_KIND: error("A document does not say what it describes: its kind is missing or unknown."),
  MANIFEST_INVALID: error("A member of a manifest is missing, unknown or has a wrong value."),
  TOO_MANY_PROBLEMS: error("A file has more problems than are told at once."),
  ORGANIZATION_INVALID: error("An organization file does not have the shape of one."),
  ENV_UNSET: error("A value names an environment variable that is not set, and no default."),
  ENV_REFUSED: error("A value names an environment variable of formctl itself, or one that the project does not list."),
  ENV_SYNTAX: error("After ${ stands something else than a name, or a name and its default, and }."),
  ENV_TOO_LARGE: error("Environment variables make a file larger than a file may be."),

  LAYOUT_FILE_MISSING: error("There is no file where a manifest says that its layout stands."),
  LAYOUT_OUTSIDE: error("A manifest names a layout file outside of the project, or by an absolute path."),
  LAYOUT_INVALID: error("A layout does not have the shape of a draft."),
  LAYOUT_UNREFERENCED: warning("No manifest names a layout file."),

  MANIFEST_DUPLICATE: error("Two manifests describe the same form or layout."),
  RENAME_CLASH: error("A former name is the present or former name of another manifest."),
  NAME_TWIN: warning("Two names differ only in case, or in characters that look alike."),
  OBJECT_UNKNOWN: warning("The organization is known and has no such object."),
  OBJECT_SUBORDINATE: error("A form would be made for a subordinate object, which has none."),
  DEFAULT_MODE_UNSUPPORTED: error("A form would be the default of a mode that it does not have."),
  DEFAULT_INACTIVE: error("An inactive form would be a default."),
  DEFAULT_TWICE: error("Two forms of an object would be the default of one mode."),
  ACCESS_MODE_UNSUPPORTED: error("Access is given to a mode that the form does not have."),
  ACCESS_TWICE: error("A member or role is listed twice in one access matrix."),
  ASSIGNMENT_TWICE: error("A role is listed twice in the assignments of one layout."),
  ASSIGNMENT_DEFAULT_TWICE: error("Two layouts would be the organization's default for one page and mode."),
  CONFIRMATION_UNKNOWN: error("A change is confirmed that the layout does not stage."),

  ROLE_UNKNOWN: error("No role has this name."),
  ROLE_AMBIGUOUS: error("Several roles have this name."),
  MEMBER_UNKNOWN: error("No member has this e-mail address."),
  MEMBER_AMBIGUOUS: error("Several members have this e-mail address."),
} as const satisfies Record<string, Row>;

export type ManifestCode = keyof typeof MANIFEST_CODES;
