/** A list that a server gives in pages, read whole or refused: what it does not show must not be taken for what is not there. */

import { incompleteList, ServiceError } from "../service.ts";

/** What a server says of a page, as far as it says anything: how long the list is, and whether it goes on. */
export type ListPage<T> = { items: readonly T[]; total?: number | undefined; hasMore?: boolean | undefined };

export type PagesReading<T> = {
  /** By which two items are told apart. */
  keyOf: (item: T) => unknown;
  /** A page by its number; undefined: the list as anybody asks for it, which is its first page. */
  ask: (page: number | undefined) => Promise<ListPage<T>>;
  /** Whether a list whose first page has so many entries, and says nothing of pages, may go on all the same. */
  mayGoOn: (entries: number) => boolean;
  /** How long a page was asked to be: one that is as long as that, and comes again, is not all there is. */
  limit?: number;
};

/** `what` is listed, for the refusal. */
export type ListReading<T> = PagesReading<T> & { what: string };

/** The items of all pages, or why they are no list. */
export type Listing<T> = T[] | { reason: string };

/** A server that always has one more would never come to an end. */
const MAX_PAGES = 1_000;

/**
 * The first page alone where it says that it is all. What says that there is more is read on, and so is what says nothing,
 * until there is an empty page; a server that refuses to be asked for a second one, or sends the first again, has no other. It
 * is read once more where it changed meanwhile.
 *
 * @throws LIST_INCOMPLETE where its pages make no list, twice
 */
export async function readWhole<T>(reading: ListReading<T>): Promise<T[]> {
  const first = await readPages(reading);
  if (!("reason" in first)) return first;
  const again = await readPages(reading);
  if ("reason" in again) throw incompleteList(reading.what, again.reason);
  return again;
}

/** The same, once. */
export async function readPages<T>(reading: PagesReading<T>): Promise<Listing<T>> {
  const { ask, mayGoOn, limit, keyOf } = reading;
  const first = await ask(undefined);
  const pages = [first];
  if (isSilent(first) && first.items.length > 0) {
    const second = mayGoOn(first.items.length) ? await pageAfter(ask, 1) : undefined;
    if (!second || (first.items.length !== limit && isSame(reading, first, second))) return [...first.items];
    pages.push(second);
  }
  const seen = new Set(pages.flatMap(({ items }) => items).map(keyOf));
  while (!isLast(pages)) {
    if (pages.length >= MAX_PAGES) return { reason: `it has more than ${MAX_PAGES} pages` };
    const next = await pageAfter(ask, pages.length);
    const isNews = next?.items.some((item) => !seen.has(keyOf(item))) ?? false;
    // It counts right, and says that there is more after anything.
    if (isCounted(pages) && !isNews) break;
    if (!next && isSilent(pages.at(-1)!)) break;
    if (!next) return { reason: "it says that there is more, and has no further page" };
    pages.push(next);
    // A server that sends the same again and again has no end, where it does not say how much there is.
    if (next.total === undefined && next.items.some((item) => seen.has(keyOf(item)))) break;
    for (const item of next.items) seen.add(keyOf(item));
  }
  return joined(pages, keyOf);
}

/** Undefined where the server refuses to be asked for it. */
async function pageAfter<T>(ask: PagesReading<T>["ask"], number: number): Promise<ListPage<T> | undefined> {
  try {
    return await ask(number + 1);
  } catch (error) {
    if (error instanceof ServiceError && REFUSES_PAGES.has(error.status)) return undefined;
    throw error;
  }
}

const REFUSES_PAGES = new Set([400, 404, 405, 422]);

function isSilent({ total, hasMore }: ListPage<unknown>): boolean {
  return total === undefined && hasMore === undefined;
}

/** A count of the page, or one that stops at some number, is known by what is said to come after it. */
function isLast(pages: readonly ListPage<unknown>[]): boolean {
  const { items, total, hasMore } = pages.at(-1)!;
  if (items.length === 0) return true;
  if (total === undefined) return hasMore === false;
  return isCounted(pages) ? hasMore !== true : countOf(pages) > total;
}

/** Whether there are as many items as the last page counts. */
function isCounted(pages: readonly ListPage<unknown>[]): boolean {
  return countOf(pages) === pages.at(-1)!.total;
}

/** In any order: nothing says that a server keeps to one. */
function isSame<T>({ keyOf }: PagesReading<T>, a: ListPage<T>, b: ListPage<T>): boolean {
  const known = new Set(a.items.map(keyOf));
  return a.items.length === b.items.length && b.items.every((item) => known.has(keyOf(item)));
}

/** All pages as one list, whoever has asked for them, and in which order. */
export function joined<T>(pages: readonly ListPage<T>[], keyOf: (item: T) => unknown): Listing<T> {
  const items = pages.flatMap((page) => page.items);
  if (pages.length > 1 && new Set(items.map(keyOf)).size < items.length)
    return { reason: "an entry is on two of its pages" };
  const totals = new Set(pages.flatMap(({ total }) => total ?? []));
  if (totals.size > 1) return { reason: `it had ${[...totals].join(", then ")} entries while it was read` };
  const last = pages.at(-1)!;
  if (last.items.length === 0 && last.hasMore === true && totals.size === 0)
    return { reason: "it says that there is more, and shows nothing" };
  const [total] = totals;
  if (total !== undefined && total !== items.length)
    return { reason: `it has ${total} entries and shows ${items.length}` };
  return items;
}

function countOf(pages: readonly ListPage<unknown>[]): number {
  return pages.reduce((sum, { items }) => sum + items.length, 0);
}
