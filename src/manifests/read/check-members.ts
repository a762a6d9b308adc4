/** What the members of one manifest must not say together. */

import type { Located } from "../../schemas/diagnostic.ts";
import type { ModeWord } from "../../schemas/open.ts";
import { nearest } from "../../schemas/nearest.ts";
import { type ManifestCode, manifestProblem } from "../problems.ts";
import type { FormManifest, LayoutManifest, Manifest } from "../manifest.ts";

export function checkForm(form: FormManifest): Located[] {
  const found: Located[] = [];
  const report = (code: ManifestCode, path: string, message: string) =>
    found.push(form.locate(manifestProblem(code, `${path} ${message}`, path)));

  const { types, isActive, defaultFor = [], access } = form;
  const lacks = (mode: ModeWord) => `is ${mode}, which is no type of the form; it has ${types.join(", ")}`;
  for (const [index, mode] of defaultFor.entries()) {
    if (!types.some((type) => type === mode)) report("DEFAULT_MODE_UNSUPPORTED", `defaultFor[${index}]`, lacks(mode));
  }
  if (isActive === false && defaultFor.length > 0) {
    report(
      "DEFAULT_INACTIVE",
      "defaultFor",
      "names modes, and an inactive form can't be a default. Empty it, or activate the form",
    );
  }
  for (const list of ["users", "roles"] as const) {
    const seen = new Map<string, number>();
    for (const [index, row] of (access?.[list] ?? []).entries()) {
      const path = `access.${list}[${index}]`;
      const { member, value } = subjectOf(row);
      const first = seen.get(value.toLowerCase());
      if (first === undefined) seen.set(value.toLowerCase(), index);
      else
        report(
          "ACCESS_TWICE",
          `${path}.${member}`,
          `names "${value}" a second time, after access.${list}[${first}]. Put the modes into one row`,
        );
      for (const [position, mode] of row.types.entries()) {
        if (!types.some((type) => type === mode))
          report("ACCESS_MODE_UNSUPPORTED", `${path}.types[${position}]`, lacks(mode));
      }
    }
  }
  return [...found, ...checkConfirmed(form)];
}

export function checkLayout(layout: LayoutManifest): Located[] {
  const found: Located[] = [];
  const seen = new Map<string, number>();
  for (const [index, row] of (layout.assignments?.roles ?? []).entries()) {
    const { member, value } = subjectOf(row);
    const first = seen.get(value.toLowerCase());
    const path = `assignments.roles[${index}].${member}`;
    if (first === undefined) seen.set(value.toLowerCase(), index);
    else
      found.push(
        layout.locate(
          manifestProblem(
            "ASSIGNMENT_TWICE",
            `${path} names "${value}" a second time, after assignments.roles[${first}]`,
            path,
          ),
        ),
      );
  }
  return [...found, ...checkConfirmed(layout)];
}

type Row = {
  membershipId?: string | undefined;
  member?: string | undefined;
  roleId?: string | undefined;
  role?: string | undefined;
};

/** Whom a row is about, and by which of its members it says so. */
function subjectOf(row: Row): { member: keyof Row; value: string } {
  const member = (["membershipId", "member", "roleId", "role"] as const).find((each) => row[each] !== undefined);
  return { member: member ?? "role", value: (member && row[member]) ?? "" };
}

/** A confirmation is for a change that the layout stages. */
function checkConfirmed({ confirmFieldChanges, content, layoutFile, locate }: Manifest): Located[] {
  // A layout that could not be read may stage anything.
  if (!content && layoutFile !== undefined) return [];
  const staged = (content?.stagedFieldDefinitions ?? []).map(({ draftId }) => draftId);
  return confirmFieldChanges.flatMap((draftId, index) => {
    if (staged.includes(draftId)) return [];
    const meant = nearest(draftId, staged);
    const wayOut = meant === undefined ? ". Remove it" : ` - did you mean "${meant}"?`;
    const path = `confirmFieldChanges[${index}]`;
    return [
      locate(
        manifestProblem(
          "CONFIRMATION_UNKNOWN",
          `${path} is "${draftId}", which the layout does not stage${wayOut}`,
          path,
        ),
      ),
    ];
  });
}
