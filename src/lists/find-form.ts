/** Finds a form by its id or its name. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, FormListedAnswer } from "../schemas/answers.ts";
import { isIdentifier } from "../schemas/words.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Service, ServiceError } from "../service.ts";
import { quoted } from "../shell-quote.ts";
import { listAllForms } from "./all-forms.ts";

/** `form` is an id or a name. */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Endpoints with paths like that of a form: no form has such an id. */
const RESERVED = new Set(["available", "defaults"]);

/** Statuses for an unknown id, or for a name in place of an id. */
const NOT_AN_ID = new Set([400, 404, 422]);

export function mayBeFormId(text: string): boolean {
  return isIdentifier(text) && !RESERVED.has(text);
}

/**
 * Finds a form by id, then by name, and reads it: an item of the list may lack members of the record.
 *
 * @throws NOT_FOUND or AMBIGUOUS_NAME when no form or several forms have the name
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** The same, with the list item of a form that was found by name. */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (mayBeFormId(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NOT_AN_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

async function findNamed(service: Service, { moduleKey, objectKey, form }: FormAddress): Promise<FormListedAnswer> {
  const forms = await listAllForms(service, { moduleKey, objectKey });
  const named = forms.filter(({ name }) => name === form);
  const [only] = named;
  if (only && named.length === 1) return only;
  const object = `${moduleKey}/${objectKey}`;
  if (only) {
    const ids = named.map(({ id }) => id).join(", ");
    const message = `${named.length} forms of ${object} are named "${form}": ${ids}`;
    throw new FormctlError("AMBIGUOUS_NAME", message, `Specify the id: ${object}/${only.id}`);
  }
  const near = nearest(
    form,
    forms.map(({ name }) => name),
  );
  const hint =
    near === undefined
      ? `List the forms: formctl forms list ${object}`
      : `Did you mean ${quoted(`${object}/${near}`)}?`;
  throw new FormctlError("NOT_FOUND", `the form "${form}" of ${object} does not exist`, hint);
}
