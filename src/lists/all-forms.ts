/** Every form of an object, or every one that a query picks: all pages, or none where they make no list. */

import type { FormListedAnswer, FormPageAnswer } from "../schemas/answers.ts";
import type { ListQuery } from "../schemas/page.ts";
import type { Service } from "../service.ts";
import { type ListPage, readWhole } from "./whole-list.ts";

type ObjectPath = { moduleKey: string; objectKey: string };

/** The most that a page may hold (docs/decisions.md, "Lists"). */
export const MOST_FORMS = 100;

/** @throws LIST_INCOMPLETE, and what the service throws */
export async function listAllForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectPath,
  query: Pick<ListQuery, "sort" | "filters" | "columns"> = {},
): Promise<FormListedAnswer[]> {
  if (Object.keys(query).length === 0) {
    // The first page without a query is the whole answer for most objects, and the quickest.
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

/** Another server may say nothing of its pages. */
export function pageOf({ data, meta }: FormPageAnswer): ListPage<FormListedAnswer> {
  return { items: data, total: meta?.total, hasMore: meta?.hasMore };
}
