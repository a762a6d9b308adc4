/** The current state, in the terms of manifests. Undefined: the server does not show it. Null: it does not exist. */

import type { AccessAnswer, FormListedAnswer } from "../schemas/answers.ts";
import type { Mode, ModeWord } from "../schemas/words.ts";
import type { DraftContent, StagedField } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { ObjectKey } from "./manifest.ts";

/**
 * The stamp in the metadata of a draft, under the member `formctl`. `ref` is the commit. `sha256` is the digest of the
 * content in the manifest. `fieldChanges` are digests of the staged changes that are applied once the draft is
 * published. `over` is the version that was published when the draft was saved, null for none: a restored copy has the
 * same stamp, but follows another version.
 */
export type Stamp = { ref?: string; sha256: string; fieldChanges?: string[]; over?: string | null };

/** What is kept of each version. Without its content, so that long histories need little memory. */
export type VersionTrace = {
  id: string;
  number: number | undefined;
  stamp: Stamp | undefined;
  /** A user restored it from another version, whose stamp it repeats. */
  isCopy: boolean;
  /** The fields created by the manifest that this version shows. */
  shows: readonly string[];
};

export type VersionState = VersionTrace & {
  content: DraftContent;
  /** The state of its validation. */
  state: string | undefined;
  /** The modes that the layout had when it was saved. */
  modes: readonly ModeWord[] | undefined;
  /** Staged changes that a server keeps in a published version. Publishing has applied them. */
  committed: readonly StagedField[];
};

/** The versions of a layout. */
export type ContentState = {
  layoutId: string;
  published: VersionState | null;
  draft: VersionState | null;
  /** Earlier versions, newest first. Their stamps show what formctl published last. */
  earlier: readonly VersionTrace[];
  /** The server does not show which version is published, or what it holds. All versions that it lists are `earlier`. */
  isHidden?: true;
};

/** The content of a form whose published version matches its manifest. */
export type InPlace = {
  /** The published version. */
  version: string;
  /** The draft that exists in addition; null: none. */
  draft: string | null;
  /** formctl has saved that draft. */
  isOwnDraft?: true;
  /** What the lock keeps of it. */
  base: ContentBase;
};

/** What the lock keeps of a content: its digest, and lists of digests of staged changes, separated by spaces. */
export type ContentBase = {
  content: string;
  /** Applied. */
  fieldChanges?: string;
  /** Assumed to be applied: everything else is in place, and nothing lists them. */
  assumedChanges?: string;
  /** Waiting in a draft that is left unpublished. */
  waitingChanges?: string;
  /** The version that was published then. It decides whether the lock or a stamp is later. */
  version?: string;
};

export type FormState = {
  /** The record, with the flags and counts that only a list has. */
  form: FormListedAnswer;
  /** The item of the list. */
  listed: FormListedAnswer;
  /** Undefined: the list has no flags. */
  defaultFor: readonly Mode[] | undefined;
  /** Undefined: not read. */
  access: AccessAnswer | undefined;
  /** Undefined: not read, or found in place. */
  content: ContentState | undefined;
  /** The content matches the manifest. Only found for a plan that publishes. */
  inPlace: InPlace | undefined;
};

export type LayoutAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

export type LayoutState = {
  layoutId: string;
  name: string | undefined;
  supportedModes: readonly ModeWord[] | undefined;
  metadata: JsonObject | null | undefined;
  assignments: LayoutAssignments | undefined;
  /** Undefined: not read. */
  content: ContentState | undefined;
};

/** A layout that is the organization's default. `page` is its surface and target: pageKeyOf. */
export type DefaultHolder = { layoutId: string; name: string; page: string; modes: readonly ModeWord[] };

/** A layout of the organization on a page of the manifests, which none of them describes. */
export type OtherLayout = { id: string; name: string; page: string };

export type ObjectState = {
  object: ObjectKey;
  /** Every form of the object. */
  forms: readonly FormState[];
};

export type Current = {
  /** By `staffing/candidate`. */
  objects: ReadonlyMap<string, ObjectState>;
  /** The forms of manifests, by the address of the manifest; absent: it does not exist. */
  forms: ReadonlyMap<string, FormState>;
  /** The layouts of manifests, by address; absent: none was found. */
  layouts: ReadonlyMap<string, LayoutState>;
  /** The organization's defaults on the pages of the manifests; empty where the server shows none. */
  organizationDefaults: readonly DefaultHolder[];
  /** Empty where the server does not list layouts. */
  otherLayouts: readonly OtherLayout[];
  /** Whether the server lists layouts. If not, only layouts are found whose ids the lock knows. */
  listsLayouts: boolean;
  /** Records with the name of a manifest that is not planned, where several have that name. */
  ambiguousIds: ReadonlySet<string>;
};
