/**
 * Manifests after they were read: typed, with the contents of their layout files, and a way to locate each path in its
 * file.
 */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { ModeWord, Mode } from "../schemas/words.ts";
import type { AccessFile } from "../schemas/access-file.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { FormConfig } from "../schemas/form.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type { ManifestAssignments } from "./manifest-schema.ts";

type Common = {
  /** `staffing/candidate/Candidate profile`, `CONTRACTOR/Contractor card`: see address.ts. */
  address: string;
  /** The address before a rename. */
  formerAddress?: string;
  name: string;
  /** The file, as the user typed its path. */
  file: string;
  /** The file of the layout, if it is a separate one. */
  layoutFile?: string;
  /** Absent: the manifest does not manage the content. */
  content?: DraftContent;
  /** False: the draft stays unpublished. */
  publish: boolean;
  confirmFieldChanges: readonly string[];
  /** Locates the path of a diagnostic in its file. Paths that start with `layout` are in the layout file. */
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

/** A manifest with the ids of roles and members in place of names. */
export type WantedForm = Omit<FormManifest, "access"> & { access?: AccessAnswer };
export type WantedLayout = Omit<LayoutManifest, "assignments"> & {
  assignments?: { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
};
export type Wanted = WantedForm | WantedLayout;
