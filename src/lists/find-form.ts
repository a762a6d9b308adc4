/** Finds a form by its id or its name. */

import { FormctlError } from "../error.ts";
import type { FormAnswer, FormListedAnswer } from "../schemas/answers.ts";
import { isIdentifier } from "../schemas/words.ts";
import { nearest } from "../schemas/nearest.ts";
import { type Service, ServiceError } from "../service.ts";
import { listAllForms } from "./all-forms.ts";

/** `form` is an id or a name. */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Endpoints with paths like that of a form: no form has such an id. */
const RESERVED = new Set(["available", "defaults"]);

/** Statuses for an unknown id, or for a name in place of an id. */
const NOT_AN_ID = new Set([400, 404, 422]);

/** Whether the last part of an address can be an id. */
export function mayBeFormId(text: string): boolean {
  return isIdentifier(text) && !RESERVED.has(text);
}

/**
 * Finds a form by id, then by name, and reads it by its id: an item of the list may lack members of the record.
 *
 * @returns the form, and the list item of a form that was found by name
 * @throws NOT_FOUND, or AMBIGUOUS_NAME when several forms have the name
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
      if (!(error instanceof ServiceError) || !NOT_AN_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

/** {@link locateForm} without the list item. */
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
      `Specify the id: ${object}/${only.id}`,
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
      ? `List the forms: formctl forms list ${object}`
      : `Did you mean ${quoted(`${object}/${near}`)}?`,
  );
}

/** The text, quoted for a shell if necessary. */
export function quoted(text: string): string {
  return /^[\w./@=:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}
