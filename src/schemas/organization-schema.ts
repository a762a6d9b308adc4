/** Defines the organization file: records without an API endpoint, which `formctl local seed` creates. */

import { FIELD_TYPES, type FieldType, SURFACES } from "./words.ts";
import * as z from "zod/mini";
import { customFieldKey } from "./organization.ts";
import { FieldKey, FreeObject, Identifier, Name, unique } from "./text.ts";

const OBJECT_KINDS = ["REGULAR", "SUBORDINATE"] as const;

/**
 * An optional id, for a file that copies an organization of a server. If it is absent, a new record gets a generated
 * id.
 */
const GivenId = z.optional(Identifier);

const Email = z
  .string()
  .check(z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"), z.maxLength(254, "must be at most 254 characters"));

/**
 * The members of a field. Optional members have defaults, except `id` and `valueCount`. If `valueCount` is absent, the
 * stored count is kept.
 */
const fieldMembers = {
  id: GivenId,
  key: FieldKey,
  name: Name,
  type: z.enum(FIELD_TYPES),
  required: z._default(z.boolean(), false),
  options: z._default(z.array(z.string()), []),
  default: z._default(z.unknown(), null),
  /** The number of records with a value. The values themselves are not stored. */
  valueCount: z.optional(z.int("must be a whole number").check(z.minimum(0, "must not be negative"))),
  config: z._default(FreeObject, {}),
};

const Options = z.array(z.string().check(z.minLength(1, "must not be empty"))).check(unique((one) => one));

type FieldInput = { id?: string | undefined; type: FieldType; options: string[]; default: unknown };

/**
 * Checks the options of a field, and that the default value of a SELECT or MULTI_SELECT field consists of them. Without
 * options, every default value is accepted. A field with an id is not checked: `local show` prints such fields, and a
 * publication can store other options and default values.
 */
function optionsAreValid<Field extends FieldInput>() {
  return z.check<Field>(({ value: { id, type, options, default: given }, issues }) => {
    if (id !== undefined) return;
    const report = (input: unknown, path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", input, path, message });
    const { error } = z.safeParse(Options, options);
    for (const issue of error?.issues ?? []) report(options, ["options", ...issue.path], issue.message);
    if ((type !== "SELECT" && type !== "MULTI_SELECT") || options.length === 0 || given === null) return;
    const chosen: unknown[] = Array.isArray(given) ? given : [given];
    if (chosen.every((one) => options.some((option) => option === one))) return;
    report(given, ["default"], "is not among the options of the field");
  });
}

const FieldEntry = z.strictObject(fieldMembers).check(optionsAreValid());

/** DYNAMIC_OBJECT has no custom fields: its fields belong to its objects. */
const CustomFieldEntry = z
  .strictObject({
    surface: z
      .enum(SURFACES)
      .check(
        z.refine((surface) => surface !== "DYNAMIC_OBJECT", "has no custom fields: add the fields to its objects"),
      ),
    scopeId: z._default(z.nullable(Identifier), null),
    ...fieldMembers,
  })
  .check(optionsAreValid());

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
        kind === "SUBORDINATE" ? "is required for a SUBORDINATE object" : "is allowed only for SUBORDINATE objects";
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
          /** Keys of roles. If absent, the member keeps its roles. */
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
