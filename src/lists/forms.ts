/** Reads the forms of an object completely: every page of the list, and the members that its items may lack. */

import type { FormListedAnswer, FormPageAnswer } from "../schemas/answers.ts";
import type { ListQuery } from "../schemas/page.ts";
import type { Service } from "../service.ts";
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
