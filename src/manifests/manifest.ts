/**
 * Types of manifests after they are read. A read manifest has the content of its layout file. Its `locate` finds the
 * file and position of a member by the path of the member.
 */

import type { ObjectKey } from "../lists/addresses.ts";
import type { AccessAnswer } from "../schemas/answers.ts";
import type { ModeWord, Mode } from "../schemas/words.ts";
import type { AccessFile } from "../schemas/access-file.ts";
import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { FormConfig } from "../schemas/form.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";

/** The members of any manifest. */
export type ManifestMembers = {
  /** The address, such as `staffing/candidate/Candidate profile` or `CONTRACTOR/Contractor card`. */
  address: string;
  /** The address before a rename. Absent if the manifest has no former name. */
  formerAddress?: string;
  name: string;
  /** The path of the file, as the user typed it. */
  file: string;
  /** The path of the layout file. Absent if the manifest contains the layout. */
  layoutFile?: string;
  /** The desired content. Absent if the manifest does not manage the content. */
  content?: DraftContent;
  publish: boolean;
  confirmFieldChanges: readonly string[];
  /**
   * The digest (`settledDigest`) of the current content from which a migration computed `content`. The migration has
   * already read and transformed a draft with this digest. So the draft is overwritten without confirmation. Absent in
   * manifest files.
   */
  computedFrom?: string;
  /**
   * The draft to save after the publication, in place of the draft that the publication replaces. If the manifest does
   * not publish, `content` is this draft. Absent in manifest files.
   */
  rebased?: DraftContent;
  /**
   * The id of the draft from which a migration computed `content`, to publish it. So this draft is overwritten without
   * confirmation. Absent in manifest files.
   */
  fromDraft?: string;
  /**
   * Adds file, line and column to a diagnostic, by its path. A path that starts with `layout` is located in the layout
   * file, if the manifest has a layout file.
   */
  locate: (diagnostic: Diagnostic) => Located;
};

export type FormManifest = ManifestMembers & {
  kind: "Form";
  object: ObjectKey;
  types: readonly Mode[];
  isActive?: boolean;
  isPublic?: boolean;
  config?: FormConfig | null;
  defaultFor?: readonly Mode[];
  access?: AccessFile;
};

/** The complete assignments of a layout. A role is given by its id or its name. */
export type ManifestAssignments = {
  organizationDefault: boolean;
  roles: { roleId?: string | undefined; role?: string | undefined; priority: number }[];
};

export type LayoutManifest = ManifestMembers & {
  kind: "Layout";
  surface: Surface;
  supportedModes: readonly ModeWord[];
  target: Target;
  metadata?: JsonObject | null;
  assignments?: ManifestAssignments;
};

export type Manifest = FormManifest | LayoutManifest;

/** A manifest with ids instead of the names of roles and members. */
export type WantedForm = Omit<FormManifest, "access"> & { access?: AccessAnswer };
export type WantedLayout = Omit<LayoutManifest, "assignments"> & {
  assignments?: { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
};
export type Wanted = WantedForm | WantedLayout;

/** The address of a resource. `formerAddress` is present if the manifest renames the resource. */
export type Addressed = { address: string; formerAddress?: string | undefined };

/** Returns the current address. If the resource is renamed, also returns the former address. */
export function addressesOf({ address, formerAddress }: Addressed): string[] {
  return formerAddress === undefined ? [address] : [address, formerAddress];
}

/** Returns the address with the former name at its end. Undefined without a former name. */
export function formerAddressOf({
  address,
  name,
  formerName,
}: {
  address: string;
  name: string;
  formerName?: string;
}): string | undefined {
  return formerName === undefined ? undefined : address.slice(0, -name.length) + formerName;
}
