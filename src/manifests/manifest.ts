/** Manifests as they have been read: typed, complete with their layout files, each path of them locatable. */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { ModeWord, Mode } from "../schemas/words.ts";
import type { AccessFile } from "../schemas/access-file.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { FormConfig } from "../schemas/form.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type { ManifestAssignments } from "../schemas/manifest.ts";

type Common = {
  /**
   * What tells it apart and what people call it: `staffing/candidate/Candidate profile`, or
   * `CONTRACTOR/Contractor card`, `DASHBOARD dashboardKey=main/Ops board`. Plans, journals and messages go by it.
   */
  address: string;
  /** The address that it had, where it was renamed. */
  formerAddress?: string;
  name: string;
  /** The file that it stands in, as it was typed. */
  file: string;
  /** The file of its layout, where it is another one. */
  layoutFile?: string;
  /** Absent: what the layout shows is not managed here. */
  content?: DraftContent;
  /** False: the draft is saved and left unpublished. */
  publish: boolean;
  confirmFieldChanges: readonly string[];
  /** A path of the manifest, `layout.…` leading into the layout's own file. */
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

/** A manifest whose roles and members are ids. */
export type WantedForm = Omit<FormManifest, "access"> & { access?: AccessAnswer };
export type WantedLayout = Omit<LayoutManifest, "assignments"> & {
  assignments?: { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
};
export type Wanted = WantedForm | WantedLayout;
