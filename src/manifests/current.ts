/** What exists now, in the manifests' terms, read whole and with bounded concurrency. */

import type { DraftContent } from "../schemas/draft.ts";
import type { AccessMatrix, FormListItem, Mode } from "../schemas/form.ts";
import type { ValidationState } from "../schemas/diagnostic.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Service } from "../service.ts";
import type { Stamp } from "./content.ts";
import type { KnownLayouts } from "./lock.ts";
import type { ObjectKey, Wanted } from "./manifest.ts";
import type { Subject } from "./subject.ts";

export type VersionState = {
  id: string;
  /** Undefined: the server does not tell. */
  number: number | undefined;
  /** What `contentDigest` says of its content. */
  digest: string;
  stamp: Stamp | undefined;
  /** Of the published version and the draft; for earlier ones the digest is enough. */
  content: DraftContent | undefined;
  /** Of a draft. */
  state: ValidationState | undefined;
  /** The modes that the layout had when it was saved; undefined: the server does not tell. */
  modes: readonly Mode[] | undefined;
  /** Restored from another version, whose stamp it repeats. */
  isCopy: boolean;
  /** Which of the fields that the manifest creates it shows as fields. */
  shows: readonly string[];
};

/** What a layout shows and will show. */
export type ContentState = {
  layoutId: string;
  published: VersionState | null;
  draft: VersionState | null;
  /** Earlier versions, newest first: by them it is told what we published last. */
  earlier: readonly VersionState[];
};

export type FormState = {
  /** As the list has it: flags and counts may be absent on another server. */
  form: FormListItem;
  /** Undefined: the server's list has no flags. */
  defaultFor: readonly Mode[] | undefined;
  /** Undefined where it was not read. */
  access: AccessMatrix | undefined;
  /** Undefined where it was not read. */
  content: ContentState | undefined;
};

export type LayoutAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

export type LayoutState = {
  layoutId: string;
  /** Undefined members: the server has no endpoint that shows them. */
  name: string | undefined;
  supportedModes: readonly Mode[] | undefined;
  metadata: JsonObject | null | undefined;
  assignments: LayoutAssignments | undefined;
  /** Undefined where it was not read. */
  content: ContentState | undefined;
};

/** A layout that may be the organization's default in a place. */
export type DefaultHolder = { layoutId: string; name: string; place: string; modes: readonly Mode[] };

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
  /** Whether the server lists layouts; where it does not, only those that are known by their ids can be found. */
  listsLayouts: boolean;
};

export type CurrentOptions = {
  service: Service;
  wanted: readonly Wanted[];
  known: KnownLayouts;
  /** How many requests may be under way at once. */
  concurrency: number;
  /** Objects of which every form is read, with its content and access, whether a manifest names it or not. */
  whole?: readonly ObjectKey[];
  onProgress?: (done: number, total: number) => void;
};

/**
 * @throws ServiceError, NoAnswer as the service throws them; MissingObjects where an object is not there; AmbiguousNames
 *   where several records have the name of one manifest; IncompleteList where a list changed while it was read, twice:
 *   nothing is planned, and above all nothing pruned, from half a list
 */
export declare function readCurrent(options: CurrentOptions): Promise<Current>;

/** The same for what a plan has read, so that the two can be compared. */
export declare function readSubjects(
  options: Omit<CurrentOptions, "wanted"> & { subjects: readonly Subject[] },
): Promise<Current>;
