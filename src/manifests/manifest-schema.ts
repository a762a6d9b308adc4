/** Schemas of manifests: YAML or JSON documents that describe a form or a layout. Absent members are not managed. */

import * as z from "zod/mini";
import { AccessFile } from "../schemas/access-file-schema.ts";
import { DraftFile } from "../schemas/draft-schema.ts";
import { FormConfig, Mode, Modes } from "../schemas/form-schema.ts";
import { Surface, Target, targetFitsSurface } from "../schemas/layout-schema.ts";
import { FreeObject, Identifier, Name, unique } from "../schemas/text.ts";

/** The address of an object, such as `staffing/candidate`. */
export const ObjectAddress = z
  .string()
  .check(
    z.refine(
      (text) => text.split("/").length === 2 && text.split("/").every((key) => Identifier.safeParse(key).success),
      "must be MODULE/OBJECT, such as staffing/candidate",
    ),
  );

/** The path of a layout file, or the content of a draft. */
const ManifestLayout = z.union([z.string().check(z.minLength(1, "must not be empty")), DraftFile]);

/**
 * The draft ids of staged changes that may clear values. With an id in this list, the user confirms the loss of values.
 */
const ConfirmedChanges = z.array(Identifier).check(unique((draftId) => draftId));

const Text = z.string().check(z.minLength(1, "must not be empty"));

const common = {
  /** The JSON Schema for editors. formctl ignores this member. */
  $schema: z.optional(z.string()),
  name: Name,
  /** The former name. If a record has this name, apply renames the record and does not create a new record. */
  renamedFrom: z.optional(Name),
  confirmFieldChanges: z.optional(ConfirmedChanges),
  layout: z.optional(ManifestLayout),
  /** Whether apply publishes the draft. */
  publish: z._default(z.boolean(), true),
};

/** A form, identified by its object and name. */
export const FormManifest = z.strictObject({
  ...common,
  kind: z.literal("Form"),
  object: ObjectAddress,
  types: Modes,
  isActive: z.optional(z.boolean()),
  isPublic: z.optional(z.boolean()),
  config: z.optional(z.nullable(FormConfig)),
  defaultFor: z.optional(z.array(Mode).check(unique((mode) => mode))),
  /** The complete access. Apply removes all other access. */
  access: z.optional(AccessFile),
});

const NOT_OF_FORM = new Set(["$schema", "kind", "object", "layout", "publish", "renamedFrom", "confirmFieldChanges"]);

/** The names of the members of a manifest that are members of its form. */
export const FORM_MEMBERS: ReadonlySet<string> = new Set(
  Object.keys(FormManifest.shape).filter((member) => !NOT_OF_FORM.has(member)),
);

export const ManifestAssignments = z.strictObject({
  organizationDefault: z._default(z.boolean(), false),
  roles: z._default(
    z.array(
      z
        .strictObject({
          roleId: z.optional(Identifier),
          role: z.optional(Text),
          priority: z._default(z.int("must be a whole number"), 0),
        })
        .check(
          z.refine(
            ({ roleId, role }) => (roleId === undefined) !== (role === undefined),
            "must have either roleId or role",
          ),
        ),
    ),
    [],
  ),
});

/** A layout that no form owns, identified by its surface, target and name. */
export const LayoutManifest = z
  .strictObject({
    ...common,
    kind: z.literal("Layout"),
    surface: Surface,
    supportedModes: Modes,
    target: z._default(Target, {}),
    metadata: z.optional(z.nullable(FreeObject)),
    /** The complete assignments. Apply removes all other assignments. */
    assignments: z.optional(ManifestAssignments),
  })
  .check(targetFitsSurface);
