/**
 * The answers of any server. A member is required if the API document promises it and formctl needs it. All other
 * members are optional: the document or some servers omit them. answer-readers.ts reads the answers; form.ts and
 * layout.ts have the complete records of our own engine.
 */

import type { Block, DraftContent, Region } from "./draft.ts";
import type { ReportedValidation } from "./error-body.ts";
import type { Target } from "./layout.ts";
import type { AvailabilityState, ModeWord, OpenWord, Surface, VersionStatus } from "./words.ts";

/** The state of a form in a mode. */
export type ModeStateAnswer = {
  state?: OpenWord<AvailabilityState> | undefined;
  layoutId?: string | undefined;
  layoutName?: string | undefined;
  versionId?: string | undefined;
};

/** A form. */
export type FormAnswer = {
  id: string;
  name: string;
  /** The modes that the form supports. */
  types: ModeWord[];
  isActive?: boolean | undefined;
  /** Whether the form is open for public submission. */
  isPublic?: boolean | undefined;
  config?: { [member: string]: unknown } | null | undefined;
  /** The id of the layout that the form owns. */
  viewLayoutId?: string | undefined;
  viewLayoutName?: string | undefined;
  /** The state of each mode of the form, such as `layoutAvailability["VIEW"]`. */
  layoutAvailability?: Record<string, ModeStateAnswer | undefined> | undefined;
  /** The modes in which the form can show or save records. `isActive` alone does not make a form usable. */
  usableTypes?: ModeWord[] | undefined;
  /** Why modes are not usable. */
  layoutWarnings?: LayoutWarningAnswer[] | undefined;
  publicToken?: string | null | undefined;
  objectId?: string | undefined;
  organizationId?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
};

/** A reason why a mode of a form is not usable. */
export type LayoutWarningAnswer = {
  type?: ModeWord | undefined;
  code?: string | undefined;
  message?: string | undefined;
};

/**
 * An item of the list of forms. The API document promises default flags and access counts, but does not name these
 * members (R24). So they are optional.
 */
export type FormListedAnswer = FormAnswer & {
  isDefaultCreate?: boolean | undefined;
  isDefaultView?: boolean | undefined;
  isDefaultEdit?: boolean | undefined;
  directUserAccessCount?: number | undefined;
  roleAccessCount?: number | undefined;
};

/** A page of forms. `page` and `limit` come from the request if the response omits them. */
export type FormPageAnswer = {
  data: FormListedAnswer[];
  meta: {
    page: number;
    limit: number;
    total?: number | undefined;
    hasMore?: boolean | undefined;
    /** Identifies the next page, for the parameter `cursor`. Undefined if the server has no cursors. */
    nextCursor?: string | undefined;
    /** True if the server states that the page obeys the filter of the request. Another server may mean anything else. */
    filtered?: unknown;
  };
};

/** The default forms of an object. Null if a mode has none. */
export type DefaultsAnswer = {
  defaultCreateFormId?: string | null | undefined;
  defaultViewFormId?: string | null | undefined;
  defaultEditFormId?: string | null | undefined;
};

/** The access rows of a form. */
export type AccessAnswer = {
  users: UserAccessAnswer[];
  roles: RoleAccessAnswer[];
};

/** The modes in which a member may use a form. */
export type UserAccessAnswer = { membershipId: string; types: ModeWord[] };

/** The modes in which the members with a role may use a form. */
export type RoleAccessAnswer = { roleId: string; types: ModeWord[] };

/** A version of a layout. A draft is a version with the status DRAFT. */
export type VersionAnswer = {
  id: string;
  layoutId?: string | undefined;
  /** The number of the version. */
  version?: number | undefined;
  status?: OpenWord<VersionStatus> | undefined;
  supportedModes?: ModeWord[] | undefined;
  validation?: ReportedValidation | undefined;
  /** The version that the draft was restored from. */
  sourceVersionId?: string | null | undefined;
  createdAt?: string | undefined;
  publishedAt?: string | null | undefined;
  draftVersionId?: string | undefined;
  schemaVersion?: number | undefined;
  regions?: Region[] | undefined;
  blocks?: Block[] | undefined;
  stagedFieldDefinitions?: DraftContent["stagedFieldDefinitions"] | undefined;
  scriptBindings?: DraftContent["scriptBindings"] | undefined;
  metadata?: { [member: string]: unknown } | null | undefined;
};

/** A layout. */
export type LayoutAnswer = {
  id: string;
  ownerScope?: string | undefined;
  surface?: OpenWord<Surface> | undefined;
  supportedModes?: ModeWord[] | undefined;
  target?: Target | undefined;
  name?: string | undefined;
  metadata?: { [member: string]: unknown } | null | undefined;
  status?: OpenWord<"DRAFT" | "ACTIVE" | "ARCHIVED"> | undefined;
  /** The id of the published version. */
  currentVersionId?: string | null | undefined;
  latestDraftVersionId?: string | null | undefined;
  currentVersion?: VersionAnswer | null | undefined;
  latestDraftVersion?: VersionAnswer | null | undefined;
  assignments?: AssignmentAnswer[] | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
};

/** Selects a layout for a role, or for the whole organization. */
export type AssignmentAnswer = {
  id?: string | undefined;
  roleId?: string | null | undefined;
  priority?: number | undefined;
  isDefault?: boolean | undefined;
};

/** The result of a saved or restored draft. */
export type SavedDraftAnswer = {
  /** The id of the draft, for `publishLayout`. */
  draftVersionId: string;
  draftVersion?: VersionAnswer | undefined;
  /** Whether the draft can be published, and its problems. */
  validation?: ReportedValidation | undefined;
  layout?: LayoutAnswer | undefined;
  stagedFieldDefinitions?: StagedFieldAnswer[] | undefined;
};

/** The state of a staged field of a saved draft. */
export type StagedFieldAnswer = { draftId?: string | undefined; state?: string | undefined };

/** The result of a publish. */
export type PublishedAnswer = {
  /** The id of the published version. */
  versionId: string;
  publishedVersion?: VersionAnswer | undefined;
  validation?: ReportedValidation | undefined;
  layout?: LayoutAnswer | undefined;
  /** The field changes that the publish applied. */
  committedFieldDefinitions?: CommittedFieldAnswer[] | undefined;
};

/** A field change that a publish applied. */
export type CommittedFieldAnswer = {
  draftId?: string | undefined;
  action?: string | undefined;
  fieldDefinitionId?: string | null | undefined;
  key?: string | undefined;
};

/** The default content of the layouts of a surface. */
export type SurfaceAnswer = {
  surface: OpenWord<Surface>;
  regions?: Region[] | undefined;
  supportedModes?: ModeWord[] | undefined;
  defaultSections?: Block[] | undefined;
  builtInBlocks?: { [member: string]: unknown }[] | undefined;
};

/** The surfaces of a server. */
export type SurfacesAnswer = { surfaces: SurfaceAnswer[] };

/** A currency. */
export type CurrencyAnswer = {
  /** The code in ISO 4217. */
  code: string;
  name?: string | undefined;
};
