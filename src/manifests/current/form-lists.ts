/** Complete lists of forms: all pages, side by side where that can be, and never half a list. */

import pMap from "p-map";
import type { FormListItem } from "../../schemas/form.ts";
import type { Output } from "../../schemas/operations.ts";
import { IncompleteList, type Service, ServiceError } from "../../service.ts";
import type { ObjectKey } from "../manifest.ts";
import { objectText } from "../subject.ts";
import { MissingObjects } from "./read-errors.ts";

type Page = Output<"listForms">;
type Lister = (object: ObjectKey, page: number) => Promise<Page>;

/** The most that a page may hold. */
const LIMIT = 100;

/**
 * Every form of each object, in the order of the objects.
 *
 * @throws MissingObjects naming all that are not there; IncompleteList where a list changed while it was read, twice
 */
export async function listForms(
  service: Pick<Service, "listForms">,
  objects: readonly ObjectKey[],
  concurrency: number,
): Promise<FormListItem[][]> {
  const list: Lister = async (object, page) => {
    const { moduleKey, objectKey } = object;
    return service.listForms({ moduleKey, objectKey, query: { page, limit: LIMIT } });
  };
  const first = await readAll(list, objects, concurrency);
  const broken = objects.filter((_, index) => "reason" in first[index]!);
  const again = new Map<ObjectKey, Listing>();
  for (const [index, listing] of (await readAll(list, broken, concurrency)).entries()) {
    if ("reason" in listing) throw new IncompleteList(`the forms of ${objectText(broken[index]!)}`, listing.reason);
    again.set(broken[index]!, listing);
  }
  return objects.map((object, index) => (again.get(object) ?? first[index]!) as FormListItem[]);
}

type Listing = FormListItem[] | { reason: string };

/** The first pages of all objects, then whatever pages they announce. */
async function readAll(list: Lister, objects: readonly ObjectKey[], concurrency: number): Promise<Listing[]> {
  const missing: ObjectKey[] = [];
  const firsts = await pMap(
    objects,
    async (object) => {
      try {
        return await list(object, 1);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        missing.push(object);
        return undefined;
      }
    },
    { concurrency },
  );
  if (missing.length > 0) throw new MissingObjects(objects.filter((object) => missing.includes(object)));

  const pages = firsts.map((first) => [first!]);
  const reads = objects.flatMap((object, index) => {
    const numbers = otherPages(pages[index]![0]!);
    if (numbers === "unknown") return [() => walkOn(list, object, pages[index]!)];
    return numbers.map((number) => async () => void (pages[index]![number - 1] = await list(object, number)));
  });
  await pMap(reads, (read) => read(), { concurrency });
  return pages.map(joined);
}

/** The pages after the first, where the server tells how many forms there are. */
function otherPages({ data, meta }: Page): number[] | "unknown" {
  const total = meta?.total;
  if (total === undefined) return isLast({ data, meta }) ? [] : "unknown";
  if (data.length === 0 || data.length >= total) return [];
  return Array.from({ length: Math.ceil(total / data.length) - 1 }, (_, index) => index + 2);
}

/**
 * One page after the other, until the server says that there are no more, or has none; a page that is there already ends it
 * too. A server that says nothing and sends the first page again does not know pages: that one is all there is, unless it
 * is as long as it was asked to be.
 */
async function walkOn(list: Lister, object: ObjectKey, pages: Page[]): Promise<void> {
  const seen = new Set(pages[0]!.data.map(({ id }) => id));
  for (let page = pages.at(-1)!; !isLast(page);) {
    const next = await pageAfter(list, object, pages.length);
    if (!next) return;
    page = next;
    const [first] = pages;
    if (pages.length === 1 && isSilent(first!) && first!.data.length !== LIMIT && isSame(first!, page)) return;
    pages.push(page);
    if (page.data.some(({ id }) => seen.has(id))) return;
    for (const { id } of page.data) seen.add(id);
  }
}

/** Undefined where the server says that there is no such page. */
async function pageAfter(list: Lister, object: ObjectKey, number: number): Promise<Page | undefined> {
  try {
    return await list(object, number + 1);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

/** A page that is shorter than it was to be may be the last one, or as long as this server makes them. */
function isLast({ data, meta }: Page): boolean {
  return data.length === 0 || meta?.hasMore === false;
}

function isSilent({ meta }: Page): boolean {
  return meta?.hasMore === undefined && meta?.total === undefined;
}

function isSame(a: Page, b: Page): boolean {
  return a.data.length === b.data.length && a.data.every(({ id }, index) => id === b.data[index]!.id);
}

/** The forms of all pages, or why they are not one list. */
function joined(pages: readonly Page[]): Listing {
  const forms = pages.flatMap(({ data }) => data);
  if (new Set(forms.map(({ id }) => id)).size < forms.length) return { reason: "a form stands on two of its pages" };
  const totals = new Set(pages.map(({ meta }) => meta?.total));
  if (totals.size > 1) return { reason: `it had ${[...totals].join(", then ")} forms while it was read` };
  const last = pages.at(-1);
  if (last?.data.length === 0 && last.meta?.hasMore === true)
    return { reason: "it says that there are more forms, and shows none" };
  const [total] = totals;
  if (total !== undefined && total !== forms.length)
    return { reason: `it has ${total} forms and shows ${forms.length}` };
  return forms;
}
