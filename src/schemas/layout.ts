/** View layouts, versions, assignments and surfaces, as our own engine returns them. layout-schema.ts checks them. */

import type { Severity, ValidationState } from "./diagnostic.ts";
import type { Block, DraftContent, Region, StagedField } from "./draft.ts";
import type { ModeWord, OpenWord, VersionStatus } from "./words.ts";

export type { Surface } from "./words.ts";

/** What a layout is for, besides its surface. The members depend on the surface. */
export type Target = {
  moduleKey?: string | null | undefined;
  objectKey?: string | null | undefined;
  /** The form that owns the layout. */
  formId?: string | null | undefined;
  entityId?: string | null | undefined;
  scopeId?: string | null | undefined;
  dashboardKey?: string | null | undefined;
};

/** The result of the checks of a draft, in the answer of a service. */
export type DraftValidation = {
  state: OpenWord<ValidationState>;
  errors: ValidationMessage[];
  warnings: ValidationMessage[];
};

/** A problem of a draft, in the answer of a service. */
export type ValidationMessage = {
  [member: string]: unknown;
  severity: OpenWord<Severity>;
  code: string;
  message: string;
  /** The place in the draft, such as `blocks[0].regionKey`. */
  path?: string | undefined;
  blockId?: string | undefined;
  mode?: ModeWord | undefined;
  meta?: { [member: string]: unknown } | undefined;
};

/** A version without its content. A draft is a version with the status DRAFT. */
export type VersionSummary = {
  id: string;
  layoutId: string;
  version: number;
  status: OpenWord<VersionStatus>;
  supportedModes: ModeWord[];
  validation: DraftValidation;
  /** The version that the draft was restored from. */
  sourceVersionId: string | null;
  createdAt: string;
  publishedAt: string | null;
};

/** A version with its content. */
export type LayoutVersion = VersionSummary & DraftContent;

/** Selects a layout for a role, or for the whole organization. */
export type Assignment = {
  id: string;
  layoutId: string;
  surface: string;
  supportedModes: ModeWord[];
  target: { [member: string]: unknown };
  roleId: string | null;
  priority: number;
  isDefault: boolean;
};

/** A layout, without the content of its versions. */
export type Layout = {
  id: string;
  ownerScope: string;
  surface: string;
  supportedModes: ModeWord[];
  target: { [member: string]: unknown };
  name: string;
  metadata: { [member: string]: unknown } | null;
  status: OpenWord<"DRAFT" | "ACTIVE" | "ARCHIVED">;
  /** The published version. */
  currentVersionId: string | null;
  latestDraftVersionId: string | null;
  currentVersion: VersionSummary | null;
  latestDraftVersion: VersionSummary | null;
  assignments: Assignment[];
  createdAt: string;
  updatedAt: string;
};

/** A staged field of a saved draft, with the effects of a publish on its values. */
export type StagedFieldState = StagedField & {
  state: OpenWord<"ready" | "needs_confirmation" | "invalid">;
  valueImpact: {
    reasons: string[];
    valueCount: number;
    referencedByLayouts: string[];
    requires: string[];
  } | null;
};

/** The result of a saved or restored draft. */
export type SavedDraft = {
  draftVersionId: string;
  draftVersion: LayoutVersion;
  validation: DraftValidation;
  layout: Layout;
  stagedFieldDefinitions: StagedFieldState[];
};

/** A field change that a publish applied. */
export type CommittedField = { draftId: string; action: string; fieldDefinitionId: string | null; key: string };

/** The result of a publish. */
export type Published = {
  versionId: string;
  publishedVersion: LayoutVersion;
  layout: Layout;
  validation: DraftValidation;
  committedFieldDefinitions: CommittedField[];
};

/** The default content of the layouts of a surface, and what is possible in them. */
export type SurfaceDefinition = {
  surface: string;
  supportedModes: ModeWord[];
  allowsSharedModes: boolean;
  requiresSingleMode: boolean;
  regions: Region[];
  defaultSections: Block[];
  builtInBlocks: { [member: string]: unknown }[];
};

export type SurfaceDefinitions = { definitionVersion: number; surfaces: SurfaceDefinition[] };
