/** What is to be read for a manifest, whatever the manifest wants to make of it: enough to read the same again. */

import type { ModeWord, Mode } from "../schemas/words.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type { FormManifest, Manifest, ObjectKey, Wanted } from "./manifest.ts";

export type FormSubject = {
  kind: "Form";
  address: string;
  object: ObjectKey;
  name: string;
  formerName?: string;
  /** Told apart by its id alone: a form that no manifest names. */
  formId?: string;
  /** The modes that are wanted: where some go, it is read whose access goes with them. */
  types: readonly ModeWord[];
  content: boolean;
  /** `rows`: a matrix with rows is wanted; `empty`: one without any; `unmanaged`: none is spoken of. */
  access: "rows" | "empty" | "unmanaged";
  /** The modes that it wants to be the default for. */
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
  /** Whether it wants to be the organization's default. */
  isDefault: boolean;
};

export type Subject = FormSubject | LayoutSubject;

/** Names of roles play no part in it. */
export function subjectOf(wanted: FormManifest): FormSubject;
export function subjectOf(wanted: Wanted | Manifest): Subject;
export function subjectOf(wanted: Wanted | Manifest): Subject {
  const { address, name, content, formerAddress } = wanted;
  const created = content?.stagedFieldDefinitions.flatMap(({ action, key }) =>
    action === "create" ? (key ?? []) : [],
  );
  // What stands before the name is the same in both addresses.
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

/** The address that it had before it was renamed. */
export function formerAddressOf({ address, name, formerName }: Subject): string | undefined {
  return formerName === undefined ? undefined : address.slice(0, -name.length) + formerName;
}

/** `staffing/candidate` */
export function objectText({ moduleKey, objectKey }: ObjectKey): string {
  return `${moduleKey}/${objectKey}`;
}
