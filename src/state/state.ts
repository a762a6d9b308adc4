/**
 * Types of what a plan reads from the target. A subject states what has to be read for a manifest. The current state
 * is what was read. A member of the current state is undefined if the server does not show it. A member is null if it does not exist on the
 * target.
 */

import type { AccessAnswer, FormListedAnswer } from "../schemas/answers.ts";
import type { DraftContent, StagedField } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import { DEFAULT_FLAG, type Mode, MODES, type ModeWord } from "../schemas/words.ts";
import type { FormManifest, Manifest, Wanted } from "../manifests/manifest.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/** What has to be read for any manifest. */
export type SharedSubject = {
  address: string;
  name: string;
  formerName?: string;
  content: boolean;
  /** The keys of the fields that the manifest creates. */
  fields: readonly string[];
};

export type FormSubject = SharedSubject & {
  kind: "Form";
  object: ObjectKey;
  /**
   * The desired modes. The plan removes all other modes of the form, and the service then deletes the access to the
   * removed modes. To report this loss, the plan reads the access.
   */
  types: readonly string[];
  /** The desired access: with rows, without rows, or not managed by the manifest. */
  access: "rows" | "empty" | "unmanaged";
  /** The modes for which the manifest makes the form the default. */
  defaultFor: readonly Mode[];
};

export type LayoutSubject = SharedSubject & {
  kind: "Layout";
  surface: Surface;
  target: Target;
  /** Whether the manifest makes the layout the organization's default. */
  isDefault: boolean;
};

export type Subject = FormSubject | LayoutSubject;

/**
 * The stamp: the member `formctl` in the metadata of a draft.
 *
 * - `ref`: the commit of the manifests, as a pipeline reports it (for example in `GITHUB_SHA`)
 * - `sha256`: the digest of the content in the manifest
 * - `fieldChanges`: digests of the staged changes that are applied once the draft is published
 * - `replaces`: the id of the version that was published when the draft was saved; null if there was none
 *
 * If a user restores a version, its stamp is copied too. The copy replaces another version than its stamp names in
 * `replaces`.
 */
export type Stamp = { ref?: string; sha256: string; fieldChanges?: string[]; replaces?: string | null };

/** The properties of a version without its content, so that long histories need little memory. */
export type VersionTrace = {
  id: string;
  number: number | undefined;
  stamp: Stamp | undefined;
  /**
   * Whether a user restored this version from an earlier version. A restored version has the stamp of the earlier
   * version.
   */
  isCopy: boolean;
  /** The keys of the fields that the manifest creates and this version shows. */
  shows: readonly string[];
};

export type VersionState = VersionTrace & {
  content: DraftContent;
  /** The validation state that the server reports. */
  state: string | undefined;
  /** The modes that the layout had when the version was saved. */
  modes: readonly ModeWord[] | undefined;
  /** Staged changes that the server still lists in a published version. They are already applied. */
  committed: readonly StagedField[];
};

export type ContentState = {
  layoutId: string;
  published: VersionState | null;
  draft: VersionState | null;
  /** Earlier versions, newest first. The stamps of these versions show what formctl published last. */
  earlier: readonly VersionTrace[];
  /**
   * Present if the server does not show which version is published. Also present if the server omits the content of the
   * published version or of the draft. In both cases, `published` and `draft` are null, and all listed versions are in
   * `earlier`.
   */
  isHidden?: true;
};

/** What is known of a form whose published content matches its manifest. */
export type InPlace = {
  /** The id of the published version. */
  version: string;
  /** The id of the draft. Null if there is no draft. */
  draft: string | null;
  /** Present if formctl saved the draft, and no user has changed it since. */
  isOwnDraft?: true;
  /** The digests of the content for the lock. */
  base: ContentBase;
};

/**
 * The members of the lock for a content. Each member whose name ends with `Changes` contains the digests of staged
 * changes, separated by spaces.
 */
export type ContentBase = {
  content: string;
  /** The changes that are applied. */
  fieldChanges?: string;
  /** The changes that are assumed to be applied (staged-changes.ts, rule 6). */
  assumedChanges?: string;
  /** The changes that wait in an unpublished draft. */
  waitingChanges?: string;
  /**
   * The id of the version that was published when this entry of the lock was written. If another version is published
   * now, the stamp of that version is newer than this entry.
   */
  version?: string;
};

export type FormState = {
  /** The form with all members, including those that the list omits. */
  form: FormListedAnswer;
  /** The form as an item of the list. */
  listed: FormListedAnswer;
  /** The modes for which the form is the default. Undefined if the list has no default flags. */
  defaultFor: readonly Mode[] | undefined;
  /** Undefined if the access was not read. */
  access: AccessAnswer | undefined;
  /** Undefined if the content was not read, or if `inPlace` is set. */
  content: ContentState | undefined;
  /** Set if the published content matches the manifest. Always undefined for a plan that does not publish. */
  inPlace: InPlace | undefined;
};

export type LayoutAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

export type LayoutState = {
  layoutId: string;
  name: string | undefined;
  supportedModes: readonly ModeWord[] | undefined;
  metadata: JsonObject | null | undefined;
  assignments: LayoutAssignments | undefined;
  /** Undefined if the content was not read. */
  content: ContentState | undefined;
};

/** A layout that is the organization's default. `page` is the key of its surface and target: see `pageKeyOf`. */
export type DefaultHolder = { layoutId: string; name: string; page: string; modes: readonly ModeWord[] };

/**
 * A layout that no manifest describes. Its page (surface and target) is the page of a layout that a manifest describes.
 */
export type OtherLayout = { id: string; name: string; page: string };

export type ObjectState = {
  object: ObjectKey;
  /** The listed forms of the object. All forms are listed, unless `CurrentOptions.byName` permits fewer. */
  forms: readonly FormState[];
};

export type Current = {
  /** The objects, by address (`staffing/candidate`). */
  objects: ReadonlyMap<string, ObjectState>;
  /** The forms that exist, by the address of their manifest. */
  forms: ReadonlyMap<string, FormState>;
  /** The layouts that were found, by the address of their manifest. */
  layouts: ReadonlyMap<string, LayoutState>;
  /**
   * The layouts that are the organization's defaults for a surface and target of a layout manifest. Empty if the server
   * does not show which layouts are defaults.
   */
  organizationDefaults: readonly DefaultHolder[];
  /** Empty if the server does not list layouts. */
  otherLayouts: readonly OtherLayout[];
  /** Whether the server lists layouts. If not, only layouts with an id in the lock are found. */
  listsLayouts: boolean;
  /**
   * The ids of ambiguous resources. If a plan is limited to some addresses, the other manifests are not planned. If the
   * name in such a manifest fits several resources, these resources are ambiguous. Ambiguous resources are neither
   * pruned nor suggested as renames.
   */
  ambiguousIds: ReadonlySet<string>;
};

/** Returns the subject of a manifest. The manifest may still contain names of roles and members instead of ids. */
export function subjectOf(wanted: FormManifest): FormSubject;
export function subjectOf(wanted: Wanted | Manifest): Subject;
export function subjectOf(wanted: Wanted | Manifest): Subject {
  const { address, name, content, formerAddress } = wanted;
  const created = content?.stagedFieldDefinitions.flatMap(({ action, key }) =>
    action === "create" ? (key ?? []) : [],
  );
  // The two addresses differ only in the name at their end.
  const former = formerAddress === undefined ? {} : { formerName: formerAddress.slice(address.length - name.length) };
  const common = { address, name, ...former, content: content !== undefined, fields: created ?? [] };
  if (wanted.kind === "Layout") {
    const { surface, target, assignments } = wanted;
    return { ...common, kind: "Layout", surface, target, isDefault: assignments?.organizationDefault ?? false };
  }
  const { object, types, access, defaultFor = [] } = wanted;
  const rows = access && access.users.length + access.roles.length > 0 ? "rows" : "empty";
  return { ...common, kind: "Form", object, types, access: access ? rows : "unmanaged", defaultFor };
}

export function surfaceOf(resource: { kind: "Form" } | { kind: "Layout"; surface: Surface }): Surface {
  return resource.kind === "Form" ? "DYNAMIC_OBJECT" : resource.surface;
}

/** Returns the state of a listed form, before its content and access are read. */
export function toFormState(form: FormListedAnswer): FormState {
  const hasFlags = MODES.every((mode) => form[DEFAULT_FLAG[mode]] !== undefined);
  return {
    form,
    listed: form,
    defaultFor: hasFlags ? MODES.filter((mode) => form[DEFAULT_FLAG[mode]]) : undefined,
    access: undefined,
    content: undefined,
    inPlace: undefined,
  };
}

/** Returns the default forms by mode. A mode is absent if the server shows no default form for the mode. */
export function holdersOf(forms: readonly FormState[]): Map<Mode, FormState> {
  const holders = new Map<Mode, FormState>();
  for (const state of forms) for (const mode of state.defaultFor ?? []) holders.set(mode, state);
  return holders;
}
