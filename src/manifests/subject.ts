/**
 * Defines subjects. A subject states what has to be read from the target for a manifest. A plan keeps it, so that a
 * later run can read the same again and compare.
 */

import * as z from "zod/mini";
import { Surface, Target } from "../schemas/layout.ts";
import { MODES } from "../schemas/words.ts";
import type { FormManifest, Manifest, Wanted } from "./manifest.ts";

const Text = z.string();
const Texts = z.readonly(z.array(Text));

const sharedShape = {
  address: Text,
  name: Text,
  formerName: z.exactOptional(Text),
  content: z.boolean(),
  /** The keys of the fields that the manifest creates. */
  fields: Texts,
};

export const FormSubject = z.object({
  ...sharedShape,
  kind: z.literal("Form"),
  object: z.object({ moduleKey: Text, objectKey: Text }),
  /** The id of a form that no manifest describes. Absent for other forms, which are found by name. */
  formId: z.exactOptional(Text),
  /**
   * The desired modes. If the form has other modes, the plan removes them, so the access that is lost has to be read.
   */
  types: Texts,
  /** The desired access: with rows, without rows, or not managed by the manifest. */
  access: z.enum(["rows", "empty", "unmanaged"]),
  /** The modes for which the manifest makes the form the default. */
  defaultFor: z.readonly(z.array(z.enum(MODES))),
});
export type FormSubject = z.output<typeof FormSubject>;

export const LayoutSubject = z.object({
  ...sharedShape,
  kind: z.literal("Layout"),
  surface: Surface,
  target: Target,
  /** Whether the manifest makes the layout the organization's default. */
  isDefault: z.boolean(),
});
export type LayoutSubject = z.output<typeof LayoutSubject>;

export const Subject = z.discriminatedUnion("kind", [FormSubject, LayoutSubject]);
export type Subject = z.output<typeof Subject>;

/** Returns the subject of a manifest, whether its names of roles and members are already replaced by ids or not. */
export function subjectOf(wanted: FormManifest): FormSubject;
export function subjectOf(wanted: Wanted | Manifest): Subject;
export function subjectOf(wanted: Wanted | Manifest): Subject {
  const { address, name, content, formerAddress } = wanted;
  const created = content?.stagedFieldDefinitions.flatMap(({ action, key }) =>
    action === "create" ? (key ?? []) : [],
  );
  // The two addresses differ only in the name at their end.
  const former = formerAddress === undefined ? {} : { formerName: formerAddress.slice(address.length - name.length) };
  const common = { address, name, ...former, content: content !== undefined, fields: created ?? [] };
  if (wanted.kind === "Layout") {
    const { surface, target, assignments } = wanted;
    return { ...common, kind: "Layout", surface, target, isDefault: assignments?.organizationDefault ?? false };
  }
  const { object, types, access, defaultFor = [] } = wanted;
  const rows = access && access.users.length + access.roles.length > 0 ? "rows" : "empty";
  return { ...common, kind: "Form", object, types, access: access ? rows : "unmanaged", defaultFor };
}

export function surfaceOf(resource: { kind: "Form" } | { kind: "Layout"; surface: Surface }): Surface {
  return resource.kind === "Form" ? "DYNAMIC_OBJECT" : resource.surface;
}
