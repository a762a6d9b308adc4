/** Finds a form by its id or its name. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, FormListedAnswer } from "../schemas/answers.ts";
import { isIdentifier } from "../schemas/words.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Service, ServiceError } from "../service.ts";
import { listAllForms } from "./all-forms.ts";

/** `form` is an id or a name. */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Paths beside those of forms: no form has such an id. */
const NO_IDS = new Set(["available", "defaults"]);

/** The statuses with which servers answer an id that no form has, or a name in the place of an id. */
const NO_SUCH_ID = new Set([400, 404, 422]);

/** Whether the last part of an address can be an id. */
export function mayBeFormId(text: string): boolean {
  return isIdentifier(text) && !NO_IDS.has(text);
}

/**
 * The form with that id, else the form with that name. It is read by its id in both cases: an item of a list may lack members
 * of the record.
 *
 * @returns with the item of the list, where the form was found by its name
 * @throws NOT_FOUND, or AMBIGUOUS_NAME where several forms have the name
 */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (mayBeFormId(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NO_SUCH_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

/** {@link locateForm} without the item of the list. */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

async function findNamed(
  service: Service,
  { moduleKey, objectKey, form: wanted }: FormAddress,
): Promise<FormListedAnswer> {
  const forms = await listAllForms(service, { moduleKey, objectKey });
  const named = forms.filter((form) => form.name === wanted);
  const [only] = named;
  if (only && named.length === 1) return only;
  const object = `${moduleKey}/${objectKey}`;
  if (only) {
    throw new FormctlError(
      "AMBIGUOUS_NAME",
      `${named.length} forms of ${object} are named "${wanted}": ${named.map((form) => form.id).join(", ")}`,
      `Name one by its id: ${object}/${only.id}`,
    );
  }
  const near = nearest(
    wanted,
    forms.map((form) => form.name),
  );
  throw new FormctlError(
    "NOT_FOUND",
    `the form "${wanted}" of ${object} does not exist`,
    near === undefined
      ? `See what there is: formctl forms list ${object}`
      : `Did you mean ${quoted(`${object}/${near}`)}?`,
  );
}

/** An argument as it is typed in a shell. */
export function quoted(text: string): string {
  return /^[\w./@=:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}
