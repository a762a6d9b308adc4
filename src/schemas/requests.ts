/**
 * The inputs of the operations: the parameters of the path by name, the query and the body. Enumerations accept only the
 * values of the API document. There is one exception: drafts and access rows accept any value, so that what a server
 * returned can be written back.
 */

import type { Block, Region, ScriptBinding, StagedField } from "./draft.ts";
import type { AccessMatrix, FormConfig } from "./form.ts";
import type { Target } from "./layout.ts";
import type { ListQuery } from "./page.ts";
import type { Mode, Surface } from "./words.ts";

/** A custom object. */
export type ObjectInput = {
  /** The key of the custom module. */
  moduleKey: string;
  /** The key of the custom object. */
  objectKey: string;
};

/** A form of a custom object. */
export type FormInput = ObjectInput & { formId: string };

export type LayoutInput = { layoutId: string };

export type VersionInput = LayoutInput & { versionId: string };

/** The input of {@link Service.createForm}. */
export type CreateFormInput = ObjectInput & { body: CreateFormBody };

export type CreateFormBody = {
  name: string;
  /** The modes of the form: at least one, each once. */
  types: Mode[];
  /** Default: true. */
  isActive?: boolean | undefined;
  /** Whether the form is open for public submission. Default: false. */
  isPublic?: boolean | undefined;
  /** The texts of the form. Default: null. */
  config?: FormConfig | null | undefined;
};

/** The input of {@link Service.listForms}. */
export type ListFormsInput = ObjectInput & { query?: ListQuery };

/** The input of {@link Service.listAvailableForms}. */
export type ListAvailableFormsInput = ObjectInput & { query?: AvailableFormsQuery };

export type AvailableFormsQuery = {
  /** Returns only the forms that support this mode. */
  type?: Mode | undefined;
};

/** The input of {@link Service.updateFormDefaults}. */
export type UpdateFormDefaultsInput = ObjectInput & { body: UpdateFormDefaultsBody };

/** An absent member keeps the default of its mode. Null clears the default. */
export type UpdateFormDefaultsBody = {
  defaultCreateFormId?: string | null | undefined;
  defaultViewFormId?: string | null | undefined;
  defaultEditFormId?: string | null | undefined;
};

/** The input of {@link Service.getForm}. */
export type GetFormInput = FormInput;

/** The input of {@link Service.updateForm}. */
export type UpdateFormInput = FormInput & { body: UpdateFormBody };

/** An absent member keeps the current value. */
export type UpdateFormBody = {
  name?: string | undefined;
  /** Replaces the modes: at least one, each once. Also deletes the access rows of the removed modes. */
  types?: Mode[] | undefined;
  /** Replaces all texts of the form. Null removes them. */
  config?: FormConfig | null | undefined;
  isActive?: boolean | undefined;
  isPublic?: boolean | undefined;
};

/** The input of {@link Service.deleteForm}. */
export type DeleteFormInput = FormInput;

/** The input of {@link Service.getFormAccess}. */
export type GetFormAccessInput = FormInput;

/** The input of {@link Service.replaceFormAccess}. */
export type ReplaceFormAccessInput = FormInput & { body: AccessMatrix };

/** The input of {@link Service.createLayout}. */
export type CreateLayoutInput = { body: CreateLayoutBody };

export type CreateLayoutBody = {
  /** Identifies the write: a service carries out requests with the same id once. Some servers require it. */
  clientMutationId?: string | undefined;
  surface: Surface;
  /** The modes of the layout: at least one, each once. */
  supportedModes: Mode[];
  target: Target;
  name: string;
  /** Members that only the client uses. Default: null. */
  metadata?: { [member: string]: unknown } | null | undefined;
};

/** The input of {@link Service.listLayouts}. */
export type ListLayoutsInput = { query?: LayoutsQuery };

/** Returns only the layouts with all these members. */
export type LayoutsQuery = {
  surface?: Surface | undefined;
  mode?: Mode | undefined;
  moduleKey?: string | undefined;
  objectKey?: string | undefined;
  formId?: string | undefined;
  scopeId?: string | undefined;
  dashboardKey?: string | undefined;
};

/** The input of {@link Service.getSurfaceDefinitions}. */
export type GetSurfaceDefinitionsInput = { query?: SurfaceDefinitionsQuery };

export type SurfaceDefinitionsQuery = {
  /** Returns only this surface. */
  surface?: Surface | undefined;
};

/** The input of {@link Service.getLayout}. */
export type GetLayoutInput = LayoutInput;

/** The input of {@link Service.updateLayout}. */
export type UpdateLayoutInput = LayoutInput & { body: UpdateLayoutBody };

/** An absent member keeps the current value. */
export type UpdateLayoutBody = {
  name?: string | undefined;
  /** Replaces the metadata. Null removes it. */
  metadata?: { [member: string]: unknown } | null | undefined;
  /** Replaces the modes of a layout that no form owns: at least one, each once. */
  supportedModes?: Mode[] | undefined;
  /** Refused: the surface of a layout can't change. */
  surface?: unknown;
  /** Refused: the target of a layout can't change. */
  target?: unknown;
};

/** The input of {@link Service.saveDraft}. */
export type SaveDraftInput = LayoutInput & { body: SaveDraftBody };

/** The whole draft. What it leaves out is deleted. */
export type SaveDraftBody = {
  /** Identifies the write: a service carries out requests with the same id once. */
  clientMutationId: string;
  /** The id of the draft to replace. Null if no draft may exist. If absent, the current draft is not checked. */
  expectedDraftVersionId?: string | null | undefined;
  /** 1 is the only version of the API document. */
  schemaVersion: number;
  regions: Region[];
  blocks: Block[];
  /** Field changes that the publish applies. Default: none. */
  stagedFieldDefinitions?: StagedField[] | undefined;
  /** Default: none. */
  scriptBindings?: ScriptBinding[] | undefined;
  /** Default: null. */
  metadata?: { [member: string]: unknown } | null | undefined;
};

/** The input of {@link Service.publishLayout}. */
export type PublishLayoutInput = LayoutInput & { body: PublishLayoutBody };

export type PublishLayoutBody = {
  /** Identifies the write: a service carries out requests with the same id once. */
  clientMutationId: string;
  /** The id of the draft, as `saveDraft` returned it. */
  draftVersionId: string;
  /** Confirms staged field changes that clear values or change types. Default: none. */
  confirmFieldChanges?: FieldChangeConfirmation[] | undefined;
  /** The id of the published version. Null if none may be published. If absent, it is not checked. */
  expectedPublishedVersionId?: string | null | undefined;
};

/** Confirms the effects of a staged field change. */
export type FieldChangeConfirmation = {
  /** The `draftId` of the change. */
  draftId: string;
  confirmTypeChange?: boolean | undefined;
  confirmValueClear?: boolean | undefined;
};

/** The input of {@link Service.listVersions}. */
export type ListVersionsInput = LayoutInput;

/** The input of {@link Service.getVersion}. */
export type GetVersionInput = VersionInput;

/** The input of {@link Service.restoreDraft}. */
export type RestoreDraftInput = VersionInput & { body: RestoreDraftBody };

export type RestoreDraftBody = {
  /** Identifies the write: a service carries out requests with the same id once. */
  clientMutationId: string;
};

/** The input of {@link Service.replaceAssignments}. */
export type ReplaceAssignmentsInput = LayoutInput & { body: ReplaceAssignmentsBody };

/** All assignments. What they leave out is deleted. */
export type ReplaceAssignmentsBody = {
  /** Identifies the write: a service carries out requests with the same id once. */
  clientMutationId: string;
  /** Whether the layout is the default of the organization. Default: false. */
  organizationDefault?: boolean | undefined;
  /** Default: none. */
  roles?: RoleAssignment[] | undefined;
};

/** Selects the layout for the members with a role. The assignment with the highest priority applies. */
export type RoleAssignment = {
  roleId: string;
  /** Default: 0. */
  priority?: number | undefined;
};

/** The input of {@link Service.archiveLayout}. */
export type ArchiveLayoutInput = LayoutInput;

/** The input of {@link Service.listCurrencies}: no members. */
export type ListCurrenciesInput = { [member: string]: never };
