/** Forms, default forms and form access, as our own engine returns them. form-schema.ts checks them. */

import type { AvailabilityState, Mode, ModeWord, OpenWord } from "./words.ts";

export type { Mode } from "./words.ts";

/** The texts of a form (R19). Other members are kept. */
export type FormConfig = {
  [member: string]: unknown;
  title?: string | undefined;
  successMessage?: string | undefined;
  description?: string | undefined;
};

/** The availability of a form in a mode. */
export type ModeAvailability = {
  state: OpenWord<AvailabilityState>;
  layoutId?: string | undefined;
  layoutName?: string | undefined;
  versionId?: string | undefined;
};

/** A reason why a mode of a form is not usable. */
export type LayoutWarning = { type: ModeWord; code: string; message: string };

/** A form. */
export type Form = {
  id: string;
  organizationId: string;
  objectId: string;
  name: string;
  /** The modes that the form supports. */
  types: ModeWord[];
  isActive: boolean;
  /** Whether the form is open for public submission. */
  isPublic: boolean;
  publicToken: string | null;
  config: { [member: string]: unknown } | null;
  /** The id of the layout that the form owns. */
  viewLayoutId: string;
  viewLayoutName: string;
  /** The state of each mode of the form. */
  layoutAvailability: { [M in Mode]?: ModeAvailability };
  /** The modes in which the form can show or save records. */
  usableTypes: ModeWord[];
  layoutWarnings: LayoutWarning[];
  createdAt: string;
  updatedAt: string;
};

/** An item of a list of forms: a form with default flags and access counts (R24). */
export type FormListItem = Form & {
  isDefaultCreate: boolean;
  isDefaultView: boolean;
  isDefaultEdit: boolean;
  directUserAccessCount: number;
  roleAccessCount: number;
};

/** A page of a list of forms. */
export type FormPage = {
  data: FormListItem[];
  meta: {
    page: number;
    limit: number;
    /** The number of forms on all pages. Absent if the query does not count them. */
    total?: number | undefined;
    hasMore?: boolean | undefined;
    /** Identifies the next page, for the parameter `cursor`. */
    nextCursor?: string | undefined;
    /** Present if the request has a filter. Only forms that match the filter are in `data`, and in `total`. */
    filtered?: true | undefined;
  };
};

/** The default forms of an object. Null if a mode has none. */
export type FormDefaults = {
  defaultCreateFormId: string | null;
  defaultViewFormId: string | null;
  defaultEditFormId: string | null;
};

/**
 * The access rows of a form. The modes are open: rows that a server returned can be written back, even with a mode that
 * only this server has.
 */
export type AccessMatrix = {
  users: { membershipId: string; types: ModeWord[] }[];
  roles: { roleId: string; types: ModeWord[] }[];
};
