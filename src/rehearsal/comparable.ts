/** Describes the records of an organization without their ids, so that two copies can be compared. */

import type { CopySeed } from "../local-service.ts";
import { canonicalJson } from "../schemas/json.ts";

const ID = /\b[a-z]{3}_[a-z2-7]{24}\b/g;

/**
 * Returns the content of each form and layout by its address. Records with the same address are numbered, so that a
 * record that was created twice is a difference.
 */
export function comparableRecords({ forms, layouts }: Pick<CopySeed, "forms" | "layouts">): Map<string, string> {
  const records = new Map<string, string>();
  const add = (address: string, record: object) => {
    const text = canonicalJson(record).replaceAll(ID, "ID");
    let key = address;
    for (let number = 2; records.has(key); number++) key = `${address} (${number})`;
    records.set(key, text);
  };
  const names = new Map(forms.map(({ id, object, name }) => [id, `${object.moduleKey}/${object.objectKey}/${name}`]));
  for (const form of forms) add(`the form ${names.get(form.id)}`, form);
  for (const layout of layouts) {
    const form = layout.formId === null ? undefined : names.get(layout.formId);
    add(form === undefined ? `the layout ${layout.name}` : `the layout of the form ${form}`, layout);
  }
  return records;
}
