/** What a manifest says: a form or a layout as a repository keeps it. What it does not say is left as it is. */

import * as z from "zod/mini";
import { AccessFile } from "./access-file.ts";
import { DraftFile } from "./draft.ts";
import { FormConfig, Mode, Modes } from "./form.ts";
import { Surface, Target, targetFitsSurface } from "./layout.ts";
import { FreeObject, Identifier, Name, unique } from "./text.ts";

/** `staffing/candidate` */
const ObjectAddress = z
  .string()
  .check(
    z.refine(
      (text) => text.split("/").length === 2 && text.split("/").every((key) => Identifier.safeParse(key).success),
      "must be MODULE/OBJECT, such as staffing/candidate",
    ),
  );

/** The path of a file that holds exactly a draft, or the draft itself. */
const ManifestLayout = z.union([z.string().check(z.minLength(1, "must not be empty")), DraftFile]);

/** Staged changes, by draft id, whose loss a person has read and accepts. */
const ConfirmedChanges = z.array(Identifier).check(unique((draftId) => draftId));

const Text = z.string().check(z.minLength(1, "must not be empty"));

const common = {
  /** Where an editor finds the schema of a JSON file. */
  $schema: z.optional(z.string()),
  name: Name,
  /** Keeps the record through a rename: the name that it had before. */
  renamedFrom: z.optional(Name),
  confirmFieldChanges: z.optional(ConfirmedChanges),
  layout: z.optional(ManifestLayout),
  /** False: the draft is saved and left unpublished. */
  publish: z._default(z.boolean(), true),
};

/** A form: told apart by its object and name. */
export const FormManifest = z.strictObject({
  ...common,
  kind: z.literal("Form"),
  object: ObjectAddress,
  types: Modes,
  isActive: z.optional(z.boolean()),
  isPublic: z.optional(z.boolean()),
  config: z.optional(z.nullable(FormConfig)),
  /** The modes for which the form is the object's default; absent: not managed here. */
  defaultFor: z.optional(z.array(Mode).check(unique((mode) => mode))),
  /** The whole matrix; absent: not managed here. */
  access: z.optional(AccessFile),
});
export type FormManifest = z.output<typeof FormManifest>;

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
export type ManifestAssignments = z.output<typeof ManifestAssignments>;

/** A layout that no form owns: told apart by its surface, target and name. */
export const LayoutManifest = z
  .strictObject({
    ...common,
    kind: z.literal("Layout"),
    surface: Surface,
    supportedModes: Modes,
    target: z._default(Target, {}),
    metadata: z.optional(z.nullable(FreeObject)),
    /** The whole set; absent: not managed here. */
    assignments: z.optional(ManifestAssignments),
  })
  .check(targetFitsSurface);
export type LayoutManifest = z.output<typeof LayoutManifest>;
