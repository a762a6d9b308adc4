/** What exists, in the manifests' terms. Undefined is what a server does not tell, null what is not there. */

import type { AccessAnswer, FormListedAnswer } from "../schemas/answers.ts";
import type { Mode, ModeWord } from "../schemas/words.ts";
import type { DraftContent, StagedField } from "../schemas/draft.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { ObjectKey } from "./manifest.ts";

/**
 * What we write into the client-owned metadata of a draft, as `formctl`: by it a later run tells our own publish from
 * somebody else's. `sha256` is the digest of the content as the manifest says it; `fieldChanges` are digests of the
 * manifest's staged changes, all of which have been carried out once that draft is published. `over` is the published version
 * that the draft was saved over, null where there was none: in a copy of it the same stamp stands over another one.
 */
export type Stamp = { ref?: string; sha256: string; fieldChanges?: string[]; over?: string | null };

/** What is kept of any version: without its content, so that long histories cost nothing. */
export type VersionTrace = {
  id: string;
  /** Undefined: the server does not tell. */
  number: number | undefined;
  stamp: Stamp | undefined;
  /** Restored from another version, whose stamp it repeats. */
  isCopy: boolean;
  /** Which of the fields that the manifest creates it shows as fields. */
  shows: readonly string[];
};

export type VersionState = VersionTrace & {
  content: DraftContent;
  /** Of a draft; undefined: the server does not tell. */
  state: string | undefined;
  /** The modes that the layout had when it was saved; undefined: the server does not tell. */
  modes: readonly ModeWord[] | undefined;
  /** What a published version was saved with, where a server keeps it: its publication has carried it out. */
  committed: readonly StagedField[];
};

/** What a layout shows and will show. */
export type ContentState = {
  layoutId: string;
  published: VersionState | null;
  draft: VersionState | null;
  /** Earlier versions, newest first: by them it is told what we published last. */
  earlier: readonly VersionTrace[];
  /**
   * The server does not say which is published and which a draft, or does not show what they hold: all of them are `earlier`. Or
   * it shows none, and may have some.
   */
  isUntold?: true;
};

/** A form whose published version shows what its manifest wants. */
export type InPlace = {
  /** The published version. */
  version: string;
  /** A draft beside it that somebody has put something into; null: there was none when it was read. */
  draft: string | null;
  /** That draft is one that we have saved. */
  isOwnDraft?: true;
  /** What a lock keeps of it. */
  base: ContentBase;
};

/** What a lock keeps of a content: its digest, and digests of staged changes one after the other. */
export type ContentBase = {
  content: string;
  /** Those that have been carried out. */
  fieldChanges?: string;
  /** Those that are taken as done, because nothing tells and all else is in place. */
  assumedChanges?: string;
  /** Those that wait in a draft which is left unpublished. */
  waitingChanges?: string;
  /** The version that was published then: by it, the lock and a stamp are told apart by their age. */
  version?: string;
};

export type FormState = {
  /** The record, with what only a list has: flags and counts may be absent on another server. */
  form: FormListedAnswer;
  /** As the list has it: of a form that no manifest names, nothing more is read. */
  listed: FormListedAnswer;
  /** Undefined: the server's list has no flags. */
  defaultFor: readonly Mode[] | undefined;
  /** Undefined where it was not read. */
  access: AccessAnswer | undefined;
  /** Undefined where it was not read, or was found in place. */
  content: ContentState | undefined;
  /** It shows what the manifest wants; only where a plan to publish is read for. */
  inPlace: InPlace | undefined;
};

export type LayoutAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

export type LayoutState = {
  layoutId: string;
  /** Undefined members: the server has no endpoint that shows them. */
  name: string | undefined;
  supportedModes: readonly ModeWord[] | undefined;
  metadata: JsonObject | null | undefined;
  assignments: LayoutAssignments | undefined;
  /** Undefined where it was not read. */
  content: ContentState | undefined;
};

/** A layout that may be the organization's default in a place. */
export type DefaultHolder = { layoutId: string; name: string; place: string; modes: readonly ModeWord[] };

/** A layout of the organization in a place that manifests speak of, which none of them means. */
export type OtherLayout = { id: string; name: string; place: string };

export type ObjectState = {
  object: ObjectKey;
  /** Every form of the object; `content` and `access` only where they were asked for. */
  forms: readonly FormState[];
};

export type Current = {
  /** By `staffing/candidate`. */
  objects: ReadonlyMap<string, ObjectState>;
  /** The forms of manifests, by the address of the manifest; absent: there is no such form. */
  forms: ReadonlyMap<string, FormState>;
  /** The layouts of manifests of kind Layout, likewise; absent: there is none, as far as can be told. */
  layouts: ReadonlyMap<string, LayoutState>;
  /** Who is the organization's default now, in the places of the manifests; empty where the server does not tell. */
  organizationDefaults: readonly DefaultHolder[];
  /** Empty where the server lists no layouts. */
  otherLayouts: readonly OtherLayout[];
  /** Whether the server lists layouts; where it does not, only those that are known by their ids can be found. */
  listsLayouts: boolean;
  /** Records that a manifest may mean which is not planned: which of them it means is not known. */
  leftAside: ReadonlySet<string>;
};
