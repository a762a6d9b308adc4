/** What exists now, in the manifests' terms, read whole and with bounded concurrency. */

import type { DraftContent } from "../schemas/draft.ts";
import type { AccessMatrix, Form, Mode } from "../schemas/form.ts";
import type { ValidationState } from "../schemas/diagnostic.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Service } from "../service.ts";
import type { ObjectKey, Wanted } from "./manifest.ts";
import type { KnownLayouts } from "./lock.ts";

export type VersionState = {
  id: string;
  /** Undefined: the server does not show it. */
  content: DraftContent | undefined;
  /** Of a draft. */
  state?: ValidationState | undefined;
};

/** What a layout shows and will show; undefined members could not be read. */
export type ContentState = {
  layoutId: string;
  published: VersionState | null | undefined;
  draft: VersionState | null | undefined;
  /** Contents of earlier versions, newest first: by them it is told what we published last. */
  earlier: readonly VersionState[];
};

export type FormState = {
  form: Form;
  /** Undefined: the server's list has no flags. */
  defaultFor: readonly Mode[] | undefined;
  /** Undefined where nobody manages it and it was not read. */
  access: AccessMatrix | undefined;
  content: ContentState | undefined;
};

export type LayoutState = {
  layoutId: string;
  /** Undefined members: the server has no endpoint that shows them. */
  name: string | undefined;
  supportedModes: readonly Mode[] | undefined;
  metadata: JsonObject | null | undefined;
  assignments: { organizationDefault: boolean; roles: { roleId: string; priority: number }[] } | undefined;
  content: ContentState;
};

export type ObjectState = {
  object: ObjectKey;
  /** Every form of the object; `content` and `access` only where a manifest speaks of them, or with `everything`. */
  forms: readonly FormState[];
};

export type Current = {
  /** By `staffing/candidate`. */
  objects: ReadonlyMap<string, ObjectState>;
  /** By the address of the manifest. Absent: there is no such layout, as far as can be told. */
  layouts: ReadonlyMap<string, LayoutState>;
  /** Whether the server lists layouts; where it does not, only those that are known by their ids can be found. */
  listsLayouts: boolean;
};

/** Two records have the identity of one manifest. */
export type Ambiguity = { address: string; ids: readonly string[] };

export type CurrentOptions = {
  service: Service;
  wanted: readonly Wanted[];
  known: KnownLayouts;
  /** How many requests may be under way at once. */
  concurrency: number;
  onProgress?: (done: number, total: number) => void;
};

/**
 * @throws ServiceError, NoAnswer as the service throws them; IncompleteList where a list changed while it was read, twice:
 *   nothing is planned, and above all nothing pruned, from half a list
 */
export declare function readCurrent(options: CurrentOptions): Promise<Current>;
