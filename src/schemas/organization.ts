/**
 * The organization file: records without an API endpoint, which `formctl local seed` creates. organization-schema.ts
 * checks it.
 */

import type { FieldType, Surface } from "./words.ts";

/** Only REGULAR objects can have forms. */
export type ObjectKind = "REGULAR" | "SUBORDINATE";

/** A record with a key. Without an id, a new record gets a generated id. */
export type KeyedEntry = { id?: string | undefined; key: string; name: string };

/** A field of an object. */
export type FieldEntry = KeyedEntry & {
  type: FieldType;
  /** Default: false. */
  required?: boolean | undefined;
  /** The choices of a SELECT or MULTI_SELECT field. */
  options?: string[] | undefined;
  /** The default value of the field. Default: null. */
  default?: unknown;
  /** The number of records with a value. If absent, the stored count is kept. */
  valueCount?: number | undefined;
  config?: { [member: string]: unknown } | undefined;
};

/** A field of a surface, such as CONTRACTOR. The fields of DYNAMIC_OBJECT belong to its objects. */
export type CustomFieldEntry = FieldEntry & { surface: Surface; scopeId?: string | null | undefined };

/** A member, identified by the e-mail address. */
export type MemberEntry = {
  id?: string | undefined;
  email: string;
  name: string;
  /** Keys of roles. If absent, the member keeps its roles. */
  roles?: string[] | undefined;
};

/** A custom object. */
export type ObjectEntry = KeyedEntry & {
  /** Default: REGULAR. */
  kind?: ObjectKind | undefined;
  /** The parent of a SUBORDINATE object: its key, or MODULE/OBJECT. */
  parent?: string | null | undefined;
  fields?: FieldEntry[] | undefined;
};

/** A custom module. */
export type ModuleEntry = KeyedEntry & { objects?: ObjectEntry[] | undefined };

/** An organization. */
export type OrganizationEntry = KeyedEntry & {
  roles?: KeyedEntry[] | undefined;
  members?: MemberEntry[] | undefined;
  scripts?: KeyedEntry[] | undefined;
  customFields?: CustomFieldEntry[] | undefined;
  modules?: ModuleEntry[] | undefined;
};

/** The file as written: members with a default are optional. */
export type OrganizationFile = { organizations: OrganizationEntry[] };

/** A field after parsing, with defaults. */
export type SeedField = KeyedEntry & {
  type: FieldType;
  required: boolean;
  options: string[];
  default: unknown;
  valueCount?: number | undefined;
  config: { [member: string]: unknown };
};

/** An object after parsing, with defaults. */
export type SeedObject = KeyedEntry & { kind: ObjectKind; parent: string | null; fields: SeedField[] };

/** An organization after parsing, with defaults. */
export type SeedOrganization = KeyedEntry & {
  roles: KeyedEntry[];
  members: MemberEntry[];
  scripts: KeyedEntry[];
  customFields: (SeedField & { surface: Surface; scopeId: string | null })[];
  modules: (KeyedEntry & { objects: SeedObject[] })[];
};

/** The file after parsing, with defaults. */
export type SeedFile = { organizations: SeedOrganization[] };

/**
 * The following types are the result of `local show`: every record with its id. This result is a valid organization
 * file.
 */
export type KeyedView = { key: string; id: string; name: string };
export type FieldView = {
  key: string;
  id: string;
  name: string;
  type: FieldType;
  required: boolean;
  options: string[];
  default: unknown;
  valueCount: number;
  config: { [member: string]: unknown };
};
export type CustomFieldView = FieldView & { surface: Surface; scopeId: string | null };
export type MemberView = { email: string; id: string; name: string; roles: string[] };
export type ObjectView = KeyedView & { kind: ObjectKind; parent: string | null; fields: FieldView[] };
export type ModuleView = KeyedView & { objects: ObjectView[] };
export type OrganizationView = KeyedView & {
  roles: KeyedView[];
  members: MemberView[];
  scripts: KeyedView[];
  customFields: CustomFieldView[];
  modules: ModuleView[];
};

/** A change made by seeding. `key` is the address within the organization: `staffing/candidate/full_name`. */
export type SeedChange = {
  action: "added" | "updated";
  kind: "organization" | "role" | "member" | "script" | "customField" | "module" | "object" | "field";
  key: string;
  organization: string;
};

/** Returns the address of a custom field: `CONTRACTOR/vat_id`, or `CONTRACTOR/SCOPE/vat_id`. */
export function customFieldKey(field: { surface: string; scopeId: string | null; key: string }): string {
  return [field.surface, ...(field.scopeId === null ? [] : [field.scopeId]), field.key].join("/");
}
