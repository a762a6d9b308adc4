/** What has to be read for a manifest. A plan keeps it, so that a later run can read the same again and compare. */

import type { Surface, Target } from "../schemas/layout.ts";
import type { ModeWord } from "../schemas/open.ts";
import type { Mode } from "../schemas/words.ts";
import type { FormManifest, Manifest, ObjectKey, Wanted } from "./manifest.ts";

export type FormSubject = {
  kind: "Form";
  address: string;
  object: ObjectKey;
  name: string;
  formerName?: string;
  /** Of a form that no manifest names: it is found by its id alone. */
  formId?: string;
  /** The desired modes: if some are removed, the access that depends on them is read. */
  types: readonly ModeWord[];
  content: boolean;
  /** The desired access: with rows, without rows, or not managed by the manifest. */
  access: "rows" | "empty" | "unmanaged";
  /** The modes for which the form is to be the default. */
  defaultFor: readonly Mode[];
  /** The keys of the fields that the manifest creates. */
  fields: readonly string[];
};

export type LayoutSubject = {
  kind: "Layout";
  address: string;
  surface: Surface;
  target: Target;
  name: string;
  formerName?: string;
  content: boolean;
  fields: readonly string[];
  /** Whether it is to be the default of the organization. */
  isDefault: boolean;
};

export type Subject = FormSubject | LayoutSubject;

/** The subject of a manifest, before or after the names of roles are resolved. */
export function subjectOf(wanted: FormManifest): FormSubject;
export function subjectOf(wanted: Wanted | Manifest): Subject;
export function subjectOf(wanted: Wanted | Manifest): Subject {
  const { address, name, content, formerAddress } = wanted;
  const created = content?.stagedFieldDefinitions.flatMap(({ action, key }) =>
    action === "create" ? (key ?? []) : [],
  );
  // Both addresses differ only in the name at their end.
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
