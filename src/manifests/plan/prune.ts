/** Forms that no manifest names, in objects that manifests do name: deleted by `--prune`, with consent. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import { formAddress } from "../address.ts";
import type { ObjectKey, WantedForm } from "../manifest.ts";
import type { DefaultsPlan } from "./defaults.ts";
import { addStep, asSet, newParts, type Parts, plural } from "./parts.ts";
import { deletionText } from "./meaning.ts";
import { replacedForm } from "./replaced.ts";
import { type FormSubject, objectText } from "../subject.ts";
import type { Current, FormState } from "../state.ts";

export type Surplus = { subject: FormSubject; state: FormState };

/**
 * The forms to delete, an object after the other. The lists are complete, or there would be no `current`.
 *
 * @param described addresses of forms that manifests beside these describe: they stay
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
        !kept.has(state) && !current.leftAside.has(state.form.id) && !described.has(formAddress(text, state.form.name)),
    );
    const names = Map.groupBy(surplus, ({ form }) => form.name);
    return surplus.map((state) => {
      const { id, name } = state.form;
      const address = formAddress(text, name);
      const isUnclear = names.get(name)!.length > 1 || taken.has(address);
      return { subject: toSubject(isUnclear ? `${text}/${id}` : address, object, state), state };
    });
  });
}

function toSubject(address: string, object: ObjectKey, { form: { id, name, types } }: FormState): FormSubject {
  const unread = { content: false, access: "unmanaged", fields: [], defaultFor: [] } as const;
  return { kind: "Form", address, object, name, formId: id, types, ...unread };
}

/** @param instead why the deletion may be a mistake; undefined: nothing says so */
export function planDeletion({ state }: Surplus, { leave, replaces }: DefaultsPlan, instead?: string): Parts {
  const parts = newParts();
  const { form, listed, defaultFor } = state;
  const { name, types } = form;
  parts.changes.push({ kind: "removed", path: "form", before: { name, types: asSet(types) } });
  if (leave.length > 0) {
    addStep(parts, "defaults", { operation: "updateFormDefaults", take: [], leave }, replaces);
    for (const mode of leave) parts.effects.push(`the object has no default for ${mode} any more`);
  }
  addStep(parts, "delete", { operation: "deleteForm" }, replacedForm(listed));
  if (!defaultFor)
    parts.notes.push("whether it is a default can't be observed on this server: if it is, the deletion is refused");
  const what = `${deletionText(name)}${instead === undefined ? "" : `; but ${instead}`}`;
  parts.needs.push({ consent: "allow-delete", what, lost: lostWith(form) });
  return parts;
}

/** What is deleted with a form. */
export function lostWith({
  name,
  directUserAccessCount: users,
  roleAccessCount: roles,
}: Pick<FormListedAnswer, "name" | "directUserAccessCount" | "roleAccessCount">): string[] {
  const rows = users === undefined || roles === undefined ? "its access rows" : accessText(users, roles);
  return [
    `the form "${name}", its layout with every version and draft`,
    ...(rows === undefined ? [] : [rows]),
    "files that were uploaded through it, of which the API does not tell",
  ];
}

function accessText(users: number, roles: number): string | undefined {
  const rows = [users > 0 && plural(users, "member"), roles > 0 && plural(roles, "role")].filter(Boolean).join(" and ");
  return rows === "" ? undefined : `the access of ${rows}`;
}
