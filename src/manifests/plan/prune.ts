/**
 * Plans deletions for --prune. A form is deleted if no manifest describes it and a manifest describes another form of
 * the same object. Each deletion requires a confirmation.
 */

import { plural } from "../../plural.ts";
import type { FormListedAnswer } from "../../schemas/answers.ts";
import { formAddress, objectText } from "../address.ts";
import type { ObjectKey, WantedForm } from "../manifest.ts";
import type { Current, FormState, FormSubject } from "../state.ts";
import { formChanges } from "./changes.ts";
import type { DefaultsPlan } from "./defaults.ts";
import { replacedForm } from "./digests.ts";
import { addStep, newParts, type Parts } from "./planned.ts";

export type Surplus = { subject: FormSubject; state: FormState };

/**
 * Returns the forms that --prune deletes.
 *
 * @param described addresses that manifests outside `forms` describe. Forms with these addresses are not deleted
 */
export function findSurplus(
  forms: readonly WantedForm[],
  current: Current,
  described: ReadonlySet<string> = new Set(),
): Surplus[] {
  const objects = new Map(forms.map(({ object }) => [objectText(object), object]));
  const kept = new Set(forms.map(({ address }) => current.forms.get(address)));
  const taken = new Set(forms.map(({ address }) => address));
  return [...objects].flatMap(([text, object]) => {
    const surplus = (current.objects.get(text)?.forms ?? []).filter(
      (state) =>
        !kept.has(state) &&
        !current.ambiguousIds.has(state.form.id) &&
        !described.has(formAddress(text, state.form.name)),
    );
    const names = Map.groupBy(surplus, ({ form }) => form.name);
    return surplus.map((state) => {
      const { id, name } = state.form;
      const address = formAddress(text, name);
      const isAmbiguous = names.get(name)!.length > 1 || taken.has(address);
      return { subject: toSubject(isAmbiguous ? `${text}/${id}` : address, object, state), state };
    });
  });
}

function toSubject(address: string, object: ObjectKey, { form: { id, name, types } }: FormState): FormSubject {
  const unread = { content: false, access: "unmanaged", fields: [], defaultFor: [] } as const;
  return { kind: "Form", address, object, name, formId: id, types, ...unread };
}

/** @param warning why the deletion may be a mistake. Undefined if nothing indicates a mistake */
export function planDeletion({ state }: Surplus, { leave, replaces }: DefaultsPlan, warning?: string): Parts {
  const parts = newParts();
  const { form, listed, defaultFor } = state;
  if (leave.length > 0) {
    addStep(parts, "defaults", { operation: "updateFormDefaults", take: [], leave }, replaces);
    for (const mode of leave) parts.effects.push(`the object no longer has a default for ${mode}`);
  }
  addStep(parts, "delete", { operation: "deleteForm" }, replacedForm(listed));
  if (!defaultFor)
    parts.notes.push(
      "whether it is a default can't be read from this server. If it is, the server refuses the deletion",
    );
  const what = `${deletionText(form.name)}${warning === undefined ? "" : `; but ${warning}`}`;
  parts.needs.push({ consent: "allow-delete", what, lost: lostWith(form) });
  parts.changes = formChanges(parts.steps, state, { nameOf: () => undefined, taken: new Set() });
  return parts;
}

export function deletionText(name: string): string {
  return `delete the form "${name}", which no manifest names`;
}

/** Returns texts for everything that is deleted together with a form. */
export function lostWith({
  name,
  directUserAccessCount: users,
  roleAccessCount: roles,
}: Pick<FormListedAnswer, "name" | "directUserAccessCount" | "roleAccessCount">): string[] {
  const rows = users === undefined || roles === undefined ? "its access rows" : accessText(users, roles);
  return [
    `the form "${name}", its layout with every version and draft`,
    ...(rows === undefined ? [] : [rows]),
    "files that were uploaded through it, which the API does not list",
  ];
}

function accessText(users: number, roles: number): string | undefined {
  const rows = [users > 0 && plural(users, "member"), roles > 0 && plural(roles, "role")].filter(Boolean).join(" and ");
  return rows === "" ? undefined : `the access of ${rows}`;
}
