/**
 * Defines manifests: as YAML or JSON documents that describe a form or a layout, in which absent members are not
 * managed; and after they are read, with the content of the layout file, and with a function that finds the file and
 * position of a member by its path.
 */

import * as z from "zod/mini";
import { AccessFile } from "../schemas/access-file.ts";
import type { AccessAnswer } from "../schemas/answers.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { type DraftContent, DraftFile } from "../schemas/draft.ts";
import { FormConfig, Mode, Modes } from "../schemas/form.ts";
import type { JsonObject } from "../schemas/json.ts";
import { Surface, Target, targetFitsSurface } from "../schemas/layout.ts";
import { FreeObject, Identifier, Name, unique } from "../schemas/text.ts";
import type { ModeWord } from "../schemas/words.ts";

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

/** The draft ids of staged changes that may clear values. A user lists an id to confirm that. */
const ConfirmedChanges = z.array(Identifier).check(unique((draftId) => draftId));

const Text = z.string().check(z.minLength(1, "must not be empty"));

const sharedMembers = {
  /** The JSON Schema for editors. formctl ignores it. */
  $schema: z.optional(z.string()),
  name: Name,
  /** The former name. If a record has it, apply renames that record and does not create another one. */
  renamedFrom: z.optional(Name),
  confirmFieldChanges: z.optional(ConfirmedChanges),
  layout: z.optional(ManifestLayout),
  /** Whether apply publishes the draft. */
  publish: z._default(z.boolean(), true),
};

/** A form, identified by its object and name. */
export const FormDocument = z.strictObject({
  ...sharedMembers,
  kind: z.literal("Form"),
  object: ObjectAddress,
  types: Modes,
  isActive: z.optional(z.boolean()),
  isPublic: z.optional(z.boolean()),
  config: z.optional(z.nullable(FormConfig)),
  /** The modes for which the form is the default. */
  defaultFor: z.optional(z.array(Mode).check(unique((mode) => mode))),
  /** The complete access. Apply removes all other access. */
  access: z.optional(AccessFile),
});
export type FormDocument = z.output<typeof FormDocument>;

const ManifestAssignments = z.strictObject({
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
type ManifestAssignments = z.output<typeof ManifestAssignments>;

/** A layout that no form owns, identified by its surface, target and name. */
export const LayoutDocument = z
  .strictObject({
    ...sharedMembers,
    kind: z.literal("Layout"),
    surface: Surface,
    supportedModes: Modes,
    target: z._default(Target, {}),
    metadata: z.optional(z.nullable(FreeObject)),
    /** The complete assignments. Apply removes all other assignments. */
    assignments: z.optional(ManifestAssignments),
  })
  .check(targetFitsSurface);
export type LayoutDocument = z.output<typeof LayoutDocument>;

type Common = {
  /** The address, such as `staffing/candidate/Candidate profile` or `CONTRACTOR/Contractor card`: see address.ts. */
  address: string;
  /** The address before a rename. Absent if the manifest has no former name. */
  formerAddress?: string;
  name: string;
  /** The path of the file, as the user typed it. */
  file: string;
  /** The path of the layout file. Absent if the manifest contains the layout. */
  layoutFile?: string;
  /** The desired content. Absent if the manifest does not manage it. */
  content?: DraftContent;
  publish: boolean;
  confirmFieldChanges: readonly string[];
  /**
   * The digest (settledDigest) of the current content from which a migration computed `content`. A draft with this
   * digest is overwritten without confirmation, because nothing is lost. Absent in manifest files.
   */
  computedFrom?: string;
  /**
   * Adds file, line and column to a diagnostic, by its path. A path that starts with `layout` is located in the layout
   * file if there is one.
   */
  locate: (diagnostic: Diagnostic) => Located;
};

export type ObjectKey = { moduleKey: string; objectKey: string };

export type FormManifest = Common & {
  kind: "Form";
  object: ObjectKey;
  types: readonly Mode[];
  isActive?: boolean;
  isPublic?: boolean;
  config?: FormConfig | null;
  defaultFor?: readonly Mode[];
  access?: AccessFile;
};

export type LayoutManifest = Common & {
  kind: "Layout";
  surface: Surface;
  supportedModes: readonly ModeWord[];
  target: Target;
  metadata?: JsonObject | null;
  assignments?: ManifestAssignments;
};

export type Manifest = FormManifest | LayoutManifest;

/** A manifest in which the names of roles and members are replaced by ids. */
export type WantedForm = Omit<FormManifest, "access"> & { access?: AccessAnswer };
export type WantedLayout = Omit<LayoutManifest, "assignments"> & {
  assignments?: { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
};
export type Wanted = WantedForm | WantedLayout;
