/** Lists the forms of one object: all forms, or only the forms that a plan needs. */

import pMap from "p-map";
import { listDefaultForms, listFormsWithNames, MOST_FORMS, pageOf } from "../lists/forms.ts";
import { type Listing, type ListPage, MAX_PAGES, readPages } from "../lists/pages.ts";
import type { FormListedAnswer } from "../schemas/answers.ts";
import { incompleteList, type Service } from "../service.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

type Lists = Pick<Service, "listForms">;
export type FormPage = ListPage<FormListedAnswer>;

export type NeededForms = {
  object: ObjectKey;
  /** The names of the needed forms. Undefined if all forms are needed. */
  names: ReadonlySet<string> | undefined;
  /** Whether the default forms are needed too. */
  defaults: boolean;
};

/** The listed forms of an object. `isWhole` states whether the list certainly contains all forms of the object. */
export type FormList = { forms: readonly FormListedAnswer[]; isWhole: boolean };

/** The number of names in one request, because servers limit the length of URLs. */
const NAMES_PER_REQUEST = 20;

/** Whether a list by name needs fewer requests than the pages after the first page. */
export function isShorterByName(first: FormPage, names: number): boolean {
  return Math.ceil(names / NAMES_PER_REQUEST) < announcedPages(first).length;
}

/**
 * Lists the forms with the needed names, and the needed default forms. Returns undefined if the server does not state
 * that it filters by names.
 */
export async function listByName(
  service: Lists,
  { object, names, defaults }: NeededForms & { names: ReadonlySet<string> },
  { first, concurrency }: { first: FormPage; concurrency: number },
): Promise<readonly FormListedAnswer[] | undefined> {
  const ask = (part: string[]) => listFormsWithNames(service, object, part);
  const all = [...names];
  const parts = Array.from({ length: Math.ceil(all.length / NAMES_PER_REQUEST) }, (_, index) =>
    all.slice(index * NAMES_PER_REQUEST, (index + 1) * NAMES_PER_REQUEST),
  );
  const [one = [], ...others] = parts;
  const named = await ask(one);
  if (!named) return undefined;
  const more = await pMap(others, ask, { concurrency });
  if (more.some((each) => !each)) return undefined;
  const holders = defaults ? await listDefaultForms(service, object, first.items) : [];
  const forms = new Map([...named, ...more.flatMap((each) => each ?? []), ...holders].map((form) => [form.id, form]));
  return [...forms.values()];
}

/** Requests a page of the forms of an object. */
export async function requestPage(service: Lists, object: ObjectKey, page: number): Promise<FormPage> {
  const { moduleKey, objectKey } = object;
  return pageOf(await service.listForms({ moduleKey, objectKey, query: { page, limit: MOST_FORMS } }));
}

/**
 * Lists all forms of an object. A list may change during the read. An incomplete list is read once more.
 *
 * @param request returns a page
 * @param first the first page, if it is already read
 * @throws LIST_INCOMPLETE if both reads are incomplete
 */
export async function listWhole(
  object: ObjectKey,
  request: (page: number) => Promise<FormPage>,
  { first, concurrency }: { first: FormPage; concurrency: number },
): Promise<FormListedAnswer[]> {
  const once = await listOnce(request, first, concurrency);
  if (!("reason" in once)) return once;
  const again = await listOnce(request, await request(1), concurrency);
  if ("reason" in again) throw incompleteList(`the forms of ${objectText(object)}`, again.reason);
  return again;
}

async function listOnce(
  request: (page: number) => Promise<FormPage>,
  first: FormPage,
  concurrency: number,
): Promise<Listing<FormListedAnswer>> {
  const pages = new Map([[1, first]]);
  // Pages that the total announces are read concurrently. Further pages are read one after another.
  const read = async (number: number) => void pages.set(number, await request(number));
  await pMap(announcedPages(first), read, { concurrency });
  return readPages({
    keyOf: ({ id }) => id,
    limit: MOST_FORMS,
    ask: async (page = 1) => pages.get(page) ?? request(page),
  });
}

/**
 * Returns the numbers of the pages after the first, up to the limit of a list. Returns none if the server does not
 * report the number of forms.
 */
function announcedPages({ items, total }: FormPage): number[] {
  if (total === undefined || items.length === 0 || items.length >= total) return [];
  const count = Math.min(Math.ceil(total / items.length), MAX_PAGES);
  return Array.from({ length: count - 1 }, (_, index) => index + 2);
}
