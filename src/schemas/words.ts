/**
 * Defines the enumerations and limits of the API, and the format of ids. Has no dependencies, so that it loads without
 * the schemas.
 */

export const MODES = ["CREATE", "VIEW", "EDIT"] as const;
export type Mode = (typeof MODES)[number];

/** Compares two modes, to sort modes in their usual order. Unknown modes come last. */
export function byMode(a: string, b: string): number {
  return modeRank(a) - modeRank(b);
}

function modeRank(mode: string): number {
  const index = (MODES as readonly string[]).indexOf(mode);
  return index < 0 ? MODES.length : index;
}

/** The availability of a form in a mode (docs/decisions.md, "Availability"). Another server may have more states. */
const AVAILABILITY_STATES = ["PUBLISHED", "DRAFT_ONLY", "INVALID", "MISSING"] as const;
export type AvailabilityState = (typeof AVAILABILITY_STATES)[number];

/** For each mode, the member of the form defaults that contains the id of the default form. */
export const DEFAULT_KEY = {
  CREATE: "defaultCreateFormId",
  VIEW: "defaultViewFormId",
  EDIT: "defaultEditFormId",
} as const satisfies Record<Mode, string>;

/** For each mode, the flag that marks the default form of the mode in a list of forms. */
export const DEFAULT_FLAG = {
  CREATE: "isDefaultCreate",
  VIEW: "isDefaultView",
  EDIT: "isDefaultEdit",
} as const satisfies Record<Mode, string>;

/** Surfaces (R30). The API document has no complete list. docs/decisions.md, "Surfaces", explains this list. */
export const SURFACES = [
  "DYNAMIC_OBJECT",
  "CONTRACTOR",
  "ORGANIZATION",
  "SALES_INVOICE",
  "COST_INVOICE",
  "DASHBOARD",
  "USER",
] as const;
export type Surface = (typeof SURFACES)[number];

export function isSurface(word: string | undefined): word is Surface {
  return (SURFACES as readonly (string | undefined)[]).includes(word);
}

export const TARGET_KEYS = ["moduleKey", "objectKey", "formId", "entityId", "scopeId", "dashboardKey"] as const;
export type TargetKey = (typeof TARGET_KEYS)[number];

/** The required and optional target members of each surface. */
export const TARGET_MEMBERS: Record<Surface, { required: TargetKey[]; optional: TargetKey[] }> = {
  DYNAMIC_OBJECT: { required: ["moduleKey", "objectKey"], optional: ["formId"] },
  DASHBOARD: { required: ["dashboardKey"], optional: [] },
  CONTRACTOR: { required: [], optional: ["scopeId", "entityId"] },
  USER: { required: [], optional: ["scopeId", "entityId"] },
  SALES_INVOICE: { required: [], optional: ["scopeId", "entityId"] },
  COST_INVOICE: { required: [], optional: ["scopeId", "entityId"] },
  ORGANIZATION: { required: [], optional: ["scopeId", "entityId"] },
};

export const VERSION_STATUSES = ["DRAFT", "PUBLISHED", "ARCHIVED"] as const;
export type VersionStatus = (typeof VERSION_STATUSES)[number];

/** The default and the maximum size of a page, and the ways to count a list (docs/decisions.md, "Lists"). */
export const PAGE_LIMIT = 20;
export const MAX_PAGE_LIMIT = 100;
export const PAGE_COUNTS = ["exact", "none", "hasMore"] as const;
export type PageCount = (typeof PAGE_COUNTS)[number];

export const SORT_FIELDS = ["name", "createdAt", "updatedAt"] as const;
export type SortField = (typeof SORT_FIELDS)[number];

/** The only supported schema version of drafts. */
export const SCHEMA_VERSION = 1;
export const REGION_LAYOUTS = ["grid", "tabs", "stack", "sidebar", "dashboard_grid"] as const;
export type RegionLayout = (typeof REGION_LAYOUTS)[number];
export const BLOCK_TYPES = [
  "field",
  "tabs",
  "tab",
  "section",
  "column",
  "relation_table",
  "builtin",
  "custom_html",
  "attachments",
  "comments",
  "action_bar",
  "dashboard_widget",
  "counter",
  "query_table",
  "tasks",
  "button",
] as const;
export const BLOCK_SOURCES = [
  "built_in",
  "custom_field",
  "dynamic_field",
  "dynamic_relation",
  "module",
  "dashboard",
  "system",
  "draft_custom_field",
] as const;
/** The members of the ref of a block, each a key or an id. */
export const REF_MEMBERS = [
  "componentKey",
  "builtInFieldKey",
  "fieldId",
  "fieldKey",
  "fieldDefinitionId",
  "draftFieldDefinitionId",
  "relationFieldId",
  "relationFieldKey",
  "moduleKey",
  "objectKey",
  "widgetKey",
  "savedQueryId",
] as const;
/** The members of the target of a script binding. */
export const BINDING_KEYS = ["blockId", "fieldKey", "actionId", "regionKey"] as const;
export const REQUIRED_POLICIES = ["optional", "required", "system_locked"] as const;
export type RequiredPolicy = (typeof REQUIRED_POLICIES)[number];
export const STAGED_ACTIONS = ["create", "update", "unlink", "delete"] as const;
export type StagedAction = (typeof STAGED_ACTIONS)[number];
export const FIELD_TYPES = [
  "TEXT",
  "TEXTAREA",
  "CUSTOM_HTML",
  "HTML_SECTION",
  "NUMBER",
  "DECIMAL",
  "CURRENCY",
  "BOOLEAN",
  "DATE",
  "DATETIME",
  "SELECT",
  "MULTI_SELECT",
  "REFERENCE",
  "FILE",
  "FILES",
  "USER",
  "USER_MULTI",
  "CONTRACTOR",
  "CONTRACTOR_MULTI",
  "EMAIL",
  "PHONE",
  "URL",
  "SUBORDINATE_OBJECT_REFERENCE",
] as const;

export type BlockType = (typeof BLOCK_TYPES)[number];
export type BlockSource = (typeof BLOCK_SOURCES)[number];
export type FieldType = (typeof FIELD_TYPES)[number];

export const MAX_MUTATION_ID = 128;
export const MAX_REGIONS = 100;
export const MAX_BLOCKS = 10_000;
export const MAX_NESTING = 16;
export const MAX_STAGED_FIELDS = 200;
export const MAX_SCRIPT_BINDINGS = 200;

export const PERMISSIONS = [
  "api.custom_forms.read",
  "api.custom_forms.manage",
  "api.view_layouts.read",
  "api.view_layouts.manage",
  "api.view_layouts.publish",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The key of a field: `full_name`. */
export const FIELD_KEY = /^[a-z][a-z0-9_]{0,62}$/;

export const IDENTIFIER = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Whether `text` is a valid id or key in a path: no slash, no `..`, at most 128 characters. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** A value of an enumeration, or an additional value that another server defines. */
export type OpenWord<T extends string> = T | (string & {});

/**
 * A type in which each enumeration accepts any string, and each literal number any number (docs/decisions.md,
 * "Tolerance").
 */
export type Open<T> = T extends string
  ? string extends T
    ? T
    : OpenWord<T>
  : T extends number
    ? number
    : T extends readonly (infer Item)[]
      ? Open<Item>[]
      : T extends object
        ? { [K in keyof T]: Open<T[K]> }
        : T;

/**
 * Returns a request with words that the API document may not have: the user typed them for another server, or a server
 * returned them. The types of requests accept only documented words. The server checks the others.
 */
export function asDocumented<T>(request: NoInfer<Open<T>>): T {
  return request as T;
}

/** A mode of any server. */
export type ModeWord = OpenWord<Mode>;

/** Returns the modes in the usual order. Modes are a set, so their order has no meaning. */
export function sortedModes(modes: readonly ModeWord[]): ModeWord[] {
  return modes.toSorted(byMode);
}
