/** The lists of the library: `pages` streams the forms of an object, and `listAll` returns all of them. */

import { FormctlError } from "../base/error.ts";
import type { FormListedAnswer } from "../schemas/answers.ts";
import type { Input } from "../schemas/operations.ts";
import type { CallOptions, Service } from "../service.ts";
import type { ObjectKey } from "./addresses.ts";
import { formsMatching } from "./form-filter.ts";
import { formsReading, isStatedToBeFiltered, listAllForms, MOST_FORMS } from "./forms.ts";
import { readByPage } from "./pages.ts";

/** The object whose forms are listed, with the order and filters of the list. The default order is that of the service. */
export type FormsInput = ObjectKey & { query?: Pick<NonNullable<Input<"listForms">["query"]>, "sort" | "filters"> };

export type PagesOptions = {
  /** The number of forms to request with each page, from 1 to 100. Default: 100. A server may send fewer. */
  pageSize?: number;
  /** Aborts the reading, with a request in progress. The reason of the signal is thrown. */
  signal?: AbortSignal;
};

/** A page of a list. */
export type Page<T> = {
  items: readonly T[];
  /**
   * The number of items on all pages, as the server last reported it. Absent if the server does not report it, or does
   * not filter: the filter is then applied to each page, and a page may have no items.
   */
  total?: number;
};

/**
 * Yields a list page by page. Requests a page when the loop asks for it, and keeps only the ids of the former items. A
 * loop that ends without an error has seen the whole list.
 *
 * ```ts
 * for await (const { items, total } of pages(service.listForms, { moduleKey: "staffing", objectKey: "candidate" })) …
 * ```
 *
 * @param list `service.listForms`, the only operation with pages
 * @throws INVALID_VALUE at once if `pageSize` is invalid
 * @throws LIST_INCOMPLETE in the loop, where the list turns out to be incomplete, for example because it changed during
 *   the read. The loop has already seen the earlier pages. `listAll` reads such a list a second time
 * @throws NOT_SHOWN if the server neither filters nor shows a filtered member
 * @throws the errors of the service, and the reason of the signal
 */
export function pages(
  list: Service["listForms"],
  input: FormsInput,
  { pageSize = MOST_FORMS, signal }: PagesOptions = {},
): AsyncGenerator<Page<FormListedAnswer>, void, void> {
  if (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MOST_FORMS)
    return formPages(listing(list, { signal, isStreamed: true }), input, pageSize);
  throw new FormctlError("INVALID_VALUE", `pageSize must be an integer from 1 to ${MOST_FORMS}, not ${pageSize}`);
}

async function* formPages(
  service: Pick<Service, "listForms">,
  { query = {}, ...object }: FormsInput,
  limit: number,
): AsyncGenerator<Page<FormListedAnswer>, void, void> {
  const filters = query.filters;
  let isFiltered = true;
  let total: number | undefined;
  const reading = formsReading(service, object, query, {
    limit,
    check: (page) => (isFiltered = filters === undefined || isStatedToBeFiltered(page)),
  });
  for await (const page of readByPage(reading)) {
    total = page.total ?? total;
    if (!isFiltered) yield { items: formsMatching(page.items, filters!) };
    else yield { items: page.items, ...(total !== undefined && { total }) };
  }
}

/**
 * Returns all items of a list, or throws. If the pages are not a complete list, reads the list a second time.
 *
 * ```ts
 * const forms = await listAll(service.listForms, { moduleKey: "staffing", objectKey: "candidate" });
 * ```
 *
 * @param list `service.listForms`, the only operation with pages
 * @throws LIST_INCOMPLETE if two reads are incomplete
 * @throws NOT_SHOWN if the server neither filters nor shows a filtered member
 * @throws the errors of the service, and the reason of the signal
 */
export function listAll(
  list: Service["listForms"],
  { query, ...object }: FormsInput,
  { signal }: Pick<PagesOptions, "signal"> = {},
): Promise<FormListedAnswer[]> {
  return listAllForms(listing(list, { signal }), object, query);
}

/** Returns `list` with the options of each call. Sends no request after the signal is aborted. */
function listing(
  list: Service["listForms"],
  { signal, isStreamed }: { signal: AbortSignal | undefined; isStreamed?: boolean },
): Pick<Service, "listForms"> {
  const options: CallOptions = { ...(signal && { signal }), ...(isStreamed && { isStreamed }) };
  return {
    async listForms(input) {
      signal?.throwIfAborted();
      return list(input, options);
    },
  };
}
