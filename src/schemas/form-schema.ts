/** The schemas of forms, default forms and form access. */

import * as z from "zod/mini";
import { MODES } from "./words.ts";
import { Identifier, maxJsonBytes, Name, unique } from "./text.ts";

export const Mode = z.enum(MODES);

/** A list of at least one mode, without duplicates (R16, R73). The order is kept and has no meaning. */
export const Modes = z.array(Mode).check(
  z.minLength(1, "must name at least one of CREATE, VIEW, EDIT"),
  unique((mode) => mode),
);

/**
 * Members for visual structure. This structure belongs to the layout (R20), so the config of a form must not have these
 * members.
 */
const VISUAL_KEYS = ["regions", "blocks", "layout"];

/** The texts of a form (R19). Other members are kept. */
export const FormConfig = z
  .looseObject({
    title: z.optional(z.string()),
    successMessage: z.optional(z.string()),
    description: z.optional(z.string()),
  })
  .check(
    maxJsonBytes(),
    z.check((context) => {
      for (const key of VISUAL_KEYS) {
        if (key in context.value) {
          context.issues.push({
            code: "custom",
            input: context.value[key],
            path: [key],
            message: "is visual structure, which belongs to the layout of the form. Save it as a draft of that layout",
          });
        }
      }
    }),
  );

export const FormCreate = z.strictObject({
  name: Name,
  types: Modes,
  isActive: z._default(z.boolean(), true),
  isPublic: z._default(z.boolean(), false),
  config: z._default(z.nullable(FormConfig), null),
});

/**
 * Changes of a form. `types` and `config` replace the current values. Absent members keep the current values (R72,
 * R76).
 */
export const FormPatch = z.strictObject({
  name: z.optional(Name),
  types: z.optional(Modes),
  config: z.optional(z.nullable(FormConfig)),
  isActive: z.optional(z.boolean()),
  isPublic: z.optional(z.boolean()),
});

const ModeAvailability = z.object({
  state: z.string(),
  layoutId: z.optional(z.string()),
  layoutName: z.optional(z.string()),
  versionId: z.optional(z.string()),
});

const LayoutWarning = z.object({ type: Mode, code: z.string(), message: z.string() });

export const Form = z.object({
  id: z.string(),
  organizationId: z.string(),
  objectId: z.string(),
  name: z.string(),
  types: z.array(Mode),
  isActive: z.boolean(),
  isPublic: z.boolean(),
  publicToken: z.nullable(z.string()),
  config: z.nullable(z.record(z.string(), z.unknown())),
  viewLayoutId: z.string(),
  viewLayoutName: z.string(),
  layoutAvailability: z.partialRecord(Mode, ModeAvailability),
  usableTypes: z.array(Mode),
  layoutWarnings: z.array(LayoutWarning),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** An item of a list of forms: a form with default flags and access counts (R24). */
export const FormListItem = z.extend(Form, {
  isDefaultCreate: z.boolean(),
  isDefaultView: z.boolean(),
  isDefaultEdit: z.boolean(),
  directUserAccessCount: z.int(),
  roleAccessCount: z.int(),
});

export const FormList = z.array(Form);

export const FormPage = z.object({
  data: z.array(FormListItem),
  meta: z.object({
    page: z.int(),
    limit: z.int(),
    total: z.optional(z.int()),
    hasMore: z.optional(z.boolean()),
    nextCursor: z.optional(z.string()),
    /** Present if the request has a filter. Only forms that match the filter are in `data`, and in `total`. */
    filtered: z.optional(z.literal(true)),
  }),
});

const FormId = z.nullable(Identifier);

/** Changes of the default forms. An absent member keeps the default. Null clears the default (R69). */
export const FormDefaultsPatch = z.strictObject({
  defaultCreateFormId: z.optional(FormId),
  defaultViewFormId: z.optional(FormId),
  defaultEditFormId: z.optional(FormId),
});

export const FormDefaults = z.object({
  defaultCreateFormId: z.nullable(z.string()),
  defaultViewFormId: z.nullable(z.string()),
  defaultEditFormId: z.nullable(z.string()),
});

/** All access rows. Both lists are required, because a missing list would silently delete its rows (R80). */
export const AccessMatrix = z.strictObject({
  users: z
    .array(z.strictObject({ membershipId: Identifier, types: Modes }))
    .check(unique((row) => row.membershipId, "membershipId")),
  roles: z.array(z.strictObject({ roleId: Identifier, types: Modes })).check(unique((row) => row.roleId, "roleId")),
});

export const AvailableQuery = z.strictObject({ type: z.optional(Mode) });
