/** Lists the forms of an object, completes the items of the list, and finds a form by its id or name. */

import { FormctlError } from "../error.ts";
import { nearest } from "../nearest.ts";
import type { FormAnswer, FormListedAnswer, FormPageAnswer } from "../schemas/answers.ts";
import type { ListQuery } from "../schemas/page.ts";
import { isIdentifier } from "../schemas/identifier.ts";
import { type Service, ServiceError } from "../service.ts";
import { type ListPage, readWhole } from "./pages.ts";

type ObjectPath = { moduleKey: string; objectKey: string };

/** The largest page of forms (docs/decisions.md, "Lists"). */
export const MOST_FORMS = 100;

/** Every form that the query selects. @throws LIST_INCOMPLETE, and what the service throws */
export async function listAllForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectPath,
  query: Pick<ListQuery, "sort" | "filters" | "columns"> = {},
): Promise<FormListedAnswer[]> {
  if (Object.keys(query).length === 0) {
    // For most objects the first page is complete, and a request without a query is the fastest.
    const { items, total, hasMore } = pageOf(await service.listForms({ moduleKey, objectKey }));
    if (total === undefined ? hasMore === false : total === items.length && hasMore !== true) return [...items];
  }
  return readWhole({
    what: `the forms of ${moduleKey}/${objectKey}`,
    keyOf: ({ id }) => id,
    ask: async (page = 1) =>
      pageOf(await service.listForms({ moduleKey, objectKey, query: { ...query, page, limit: MOST_FORMS } })),
    mayGoOn: () => true,
    limit: MOST_FORMS,
  });
}

/** `meta` may be missing, because not every server reports its pages. */
export function pageOf({ data, meta }: FormPageAnswer): ListPage<FormListedAnswer> {
  return { items: data, total: meta?.total, hasMore: meta?.hasMore };
}

/** The API document does not promise these members for the items of a list. */
export function isWholeForm({ isActive, isPublic, config, viewLayoutId }: FormListedAnswer): boolean {
  return [isActive, isPublic, config, viewLayoutId].every((member) => member !== undefined);
}

/** The form with all members of its record, which is read if the item of the list lacks some. */
export async function wholeForm(
  service: Pick<Service, "getForm">,
  { moduleKey, objectKey }: ObjectPath,
  listed: FormListedAnswer,
): Promise<FormListedAnswer> {
  if (isWholeForm(listed)) return listed;
  return { ...listed, ...(await service.getForm({ moduleKey, objectKey, formId: listed.id })) };
}

/** `form` is an id or a name. */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Other paths at the same level of the API, which can't be ids of forms. */
const NO_IDS = new Set(["available", "defaults"]);

/** The statuses with which servers answer an unknown id, or a name instead of an id. */
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
