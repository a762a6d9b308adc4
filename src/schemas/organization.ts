/** The organization file: what the API has no endpoint for, set up by `formctl local seed`. */

import { FIELD_TYPES, type FieldType, SURFACES } from "./words.ts";
import * as z from "zod/mini";
import type { Surface } from "./layout.ts";
import { FieldKey, FreeObject, Identifier, Name, unique } from "./text.ts";

const OBJECT_KINDS = ["REGULAR", "SUBORDINATE"] as const;
type ObjectKind = (typeof OBJECT_KINDS)[number];

/** Given to mirror a live organization; else the store assigns one. */
const GivenId = z.optional(Identifier);

const Email = z
  .string()
  .check(z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"), z.maxLength(254, "must be at most 254 characters"));

/** An absent member of a field takes its default, except `valueCount`: absent, the stored count stays. */
const fieldMembers = {
  id: GivenId,
  key: FieldKey,
  name: Name,
  type: z.enum(FIELD_TYPES),
  required: z._default(z.boolean(), false),
  options: z._default(z.array(z.string().check(z.minLength(1, "must not be empty"))).check(unique((one) => one)), []),
  default: z._default(z.unknown(), null),
  /** How many records have a value of the field: values themselves are not kept. */
  valueCount: z.optional(z.int("must be a whole number").check(z.minimum(0, "must not be negative"))),
  config: z._default(FreeObject, {}),
};

/** A default that nobody could choose is a slip of the pen. Where no options are known, any default may be right. */
function defaultIsAnOption<Field extends { type: FieldType; options: string[]; default: unknown }>() {
  return z.refine<Field>(
    ({ type, options, default: value }) => {
      if ((type !== "SELECT" && type !== "MULTI_SELECT") || options.length === 0 || value === null) return true;
      const chosen: unknown[] = Array.isArray(value) ? value : [value];
      return chosen.every((one) => options.some((option) => option === one));
    },
    { path: ["default"], error: "is not among the options of the field" },
  );
}

const FieldEntry = z.strictObject(fieldMembers).check(defaultIsAnOption());

/** Fields of an object belong to the object, so that DYNAMIC_OBJECT has no custom fields beside them. */
const CustomFieldEntry = z
  .strictObject({
    surface: z
      .enum(SURFACES)
      .check(z.refine((surface) => surface !== "DYNAMIC_OBJECT", "has its fields in its objects")),
    scopeId: z._default(z.nullable(Identifier), null),
    ...fieldMembers,
  })
  .check(defaultIsAnOption());

const ObjectReference = z
  .string()
  .check(
    z.refine(
      (text) => text.split("/").length <= 2 && text.split("/").every((key) => Identifier.safeParse(key).success),
      "must be the key of an object of this module, or MODULE/OBJECT",
    ),
  );

const ObjectEntry = z
  .strictObject({
    id: GivenId,
    key: Identifier,
    name: Name,
    kind: z._default(z.enum(OBJECT_KINDS), "REGULAR"),
    parent: z._default(z.nullable(ObjectReference), null),
    fields: z._default(z.array(FieldEntry).check(unique((field) => field.key, "key")), []),
  })
  .check(
    z.check((context) => {
      const { kind, parent } = context.value;
      if ((kind === "SUBORDINATE") === (parent !== null)) return;
      const message =
        kind === "SUBORDINATE" ? "is required for a SUBORDINATE object" : "is for SUBORDINATE objects only";
      context.issues.push({ code: "custom", input: parent, path: ["parent"], message });
    }),
  );

const Keyed = z.strictObject({ id: GivenId, key: Identifier, name: Name });

const OrganizationEntry = z.strictObject({
  id: GivenId,
  key: Identifier,
  name: Name,
  roles: z._default(z.array(Keyed).check(unique((role) => role.key, "key")), []),
  members: z._default(
    z
      .array(
        z.strictObject({
          id: GivenId,
          email: Email,
          name: Name,
          /** Keys of roles. Absent, the member's roles stay. */
          roles: z.optional(z.array(Identifier).check(unique((key) => key))),
        }),
      )
      .check(unique((member) => member.email, "email")),
    [],
  ),
  scripts: z._default(z.array(Keyed).check(unique((script) => script.key, "key")), []),
  customFields: z._default(z.array(CustomFieldEntry).check(unique((field) => customFieldKey(field), "key")), []),
  modules: z._default(
    z
      .array(
        z.strictObject({
          id: GivenId,
          key: Identifier,
          name: Name,
          objects: z._default(z.array(ObjectEntry).check(unique((object) => object.key, "key")), []),
        }),
      )
      .check(unique((module) => module.key, "key")),
    [],
  ),
});

export const OrganizationFile = z.strictObject({
  organizations: z.array(OrganizationEntry).check(
    z.minLength(1, "must name at least one organization"),
    unique((organization) => organization.key, "key"),
  ),
});
/** As somebody writes it: members that have a default may be absent. */
export type OrganizationFile = z.input<typeof OrganizationFile>;
/** As its schema has read it. */
export type SeedFile = z.output<typeof OrganizationFile>;
export type SeedOrganization = SeedFile["organizations"][number];
export type SeedField = z.output<typeof FieldEntry>;

/** What `local show` answers: every record with its id. It is itself a valid organization file. */
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
  config: Record<string, unknown>;
};
export type CustomFieldView = FieldView & { surface: Surface; scopeId: string | null };
type MemberView = { email: string; id: string; name: string; roles: string[] };
export type ObjectView = KeyedView & { kind: ObjectKind; parent: string | null; fields: FieldView[] };
type ModuleView = KeyedView & { objects: ObjectView[] };
export type OrganizationView = KeyedView & {
  roles: KeyedView[];
  members: MemberView[];
  scripts: KeyedView[];
  customFields: CustomFieldView[];
  modules: ModuleView[];
};

/** One thing that seeding did. `key` is the whole address within the organization: `staffing/candidate/full_name`. */
export type SeedChange = {
  action: "added" | "updated";
  kind: "organization" | "role" | "member" | "script" | "customField" | "module" | "object" | "field";
  key: string;
  organization: string;
};

/** A custom field's address: `CONTRACTOR/vat_id`, or `CONTRACTOR/SCOPE/vat_id`. */
export function customFieldKey(field: { surface: string; scopeId: string | null; key: string }): string {
  return [field.surface, ...(field.scopeId === null ? [] : [field.scopeId]), field.key].join("/");
}
