/** A form with the members of its record: the API document does not promise them for the items of a list. */

import type { FormListedAnswer } from "../schemas/answers.ts";
import type { Service } from "../service.ts";

type ObjectPath = { moduleKey: string; objectKey: string };

export function isWholeForm({ isActive, isPublic, config, viewLayoutId }: FormListedAnswer): boolean {
  return [isActive, isPublic, config, viewLayoutId].every((member) => member !== undefined);
}

/** The listed form, completed from its record where the list leaves members out. What only the list shows stays. */
export async function wholeForm(
  service: Pick<Service, "getForm">,
  { moduleKey, objectKey }: ObjectPath,
  listed: FormListedAnswer,
): Promise<FormListedAnswer> {
  if (isWholeForm(listed)) return listed;
  return { ...listed, ...(await service.getForm({ moduleKey, objectKey, formId: listed.id })) };
}
