/**
 * Reads every page of a list, as a whole or page by page, or fails. A record that an incomplete list lacks would count
 * as deleted. Servers page lists in different ways, or do not report their pages (docs/decisions.md, "Tolerance").
 */

import { incompleteList, ServiceError } from "../service.ts";
import { sha256 } from "../base/sha256.ts";

/**
 * A page of a list. `total` is the length of the list. `hasMore` states whether another page follows. `nextCursor`
 * identifies the following page. Each of the three members is undefined if the server does not report it.
 */
export type ListPage<T> = {
  items: readonly T[];
  total?: number | undefined;
  hasMore?: boolean | undefined;
  nextCursor?: string | undefined;
};

export type PagesReading<T> = {
  keyOf: (item: T) => unknown;
  /**
   * Requests a page. If `page` is undefined, sends no page number. The server then returns the first page. `cursor` is
   * the `nextCursor` of the previous page, if the server reported a cursor. A server finds a page faster by its cursor
   * than by its number.
   */
  ask: (page: number | undefined, cursor?: string) => Promise<ListPage<T>>;
  /** Whether `ask` sends the cursor. Default: false */
  usesCursors?: boolean;
  /**
   * Whether the list may continue after a first page with this number of items. Called only if the server reports
   * neither `total` nor `hasMore`. By default it may.
   */
  mayGoOn?: (entries: number) => boolean;
  /**
   * The requested length of a page. It matters if the second page repeats the first one: the server then ignores page
   * numbers. A first page of another length is the whole list. With exactly this length, the list may be longer, so the
   * read fails.
   */
  limit?: number;
  /** The number of items after which the read ends early. Default: the list is read to its end. */
  most?: number | undefined;
};

/** `what` names the list in the error message. */
export type ListReading<T> = PagesReading<T> & { what: string };

/** The items of all pages, or the reason why they are not a complete list. */
export type Listing<T> = T[] | IncompleteListing;

/** `isFinal`: a second read would not help, and may not end either. */
type IncompleteListing = { reason: string; isFinal?: boolean };

/** The maximum number of pages, because a server may always report another page. */
export const MAX_PAGES = 10_000;

/**
 * Reads pages until the server reports the last page or sends an empty page. Some servers report neither the total nor
 * `hasMore`. If such a server refuses the second page or sends the first page again, the list has only one page. If the
 * first read is incomplete, for example because the list changed, the list is read a second time.
 *
 * @throws LIST_INCOMPLETE if both reads are incomplete
 */
export async function readWhole<T>(reading: ListReading<T>): Promise<T[]> {
  const first = await readPages(reading);
  if (!("reason" in first)) return first;
  if (first.isFinal) throw incompleteList(reading.what, first.reason);
  // The second read sends page numbers and no cursors. On some servers, the cursors may be the reason why the first
  // read is incomplete.
  const again = await readPages({ ...reading, usesCursors: false, ask: (page) => reading.ask(page) });
  if ("reason" in again) throw incompleteList(reading.what, again.reason);
  return again;
}

/**
 * Like `readWhole`, but returns each page as it arrives. Requests a page only after the caller asks for it. The list is
 * read once, because returned pages can't be taken back. Only the keys of the items are kept.
 *
 * @throws LIST_INCOMPLETE at the page where the list turns out to be incomplete. The earlier pages are already returned
 */
export async function* readByPage<T>(reading: ListReading<T>): AsyncGenerator<ListPage<T>, void, void> {
  const incomplete = yield* streamPages(reading);
  if (incomplete) throw incompleteList(reading.what, incomplete.reason);
}

/** Reads the list once. `readWhole` describes which pages are requested. */
export async function readPages<T>(reading: PagesReading<T>): Promise<Listing<T>> {
  const items: T[] = [];
  const pages = streamPages(reading);
  for (;;) {
    const { done, value } = await pages.next();
    if (done) return value ?? items;
    for (const item of value.items) items.push(item);
  }
}

/**
 * Yields the pages of the list. A page that repeats the list is not yielded.
 *
 * @returns why the pages are not a complete list. Undefined if they are, and after `most` items
 */
async function* streamPages<T>(
  reading: PagesReading<T>,
): AsyncGenerator<ListPage<T>, IncompleteListing | undefined, void> {
  const { ask, mayGoOn = () => true, limit, keyOf, most = Infinity } = reading;
  let { usesCursors = false } = reading;
  /** The number of the page with each cursor. Cursors may be long, so their digests are kept. */
  const pageOfCursor = new Map<string, number>();
  const seen = new Set<unknown>();
  const totals = new Set<number>();
  let count = 0;
  const add = ({ items, total }: ListPage<T>) => {
    for (const item of items) seen.add(keyOf(item));
    count += items.length;
    if (total !== undefined) totals.add(total);
  };
  let last = await ask(undefined);
  add(last);
  yield last;
  if (reportsNothing(last) && !mayGoOn(count)) return undefined;
  let hadNewItems = true;
  for (let pages = 1; !isLast(last, count); pages++) {
    if (seen.size >= most) return undefined;
    if (pages >= MAX_PAGES) return { reason: `it has more than ${MAX_PAGES} pages` };
    const cursor = usesCursors ? last.nextCursor : undefined;
    const repeated = cursor === undefined ? undefined : rememberCursor(pageOfCursor, cursor, pages);
    // The server would send further pages without end. If its last page has new items, it would also do so by number.
    if (repeated !== undefined)
      return { reason: `page ${pages} has the cursor of page ${repeated}`, isFinal: hadNewItems };
    let next = await pageAfter(ask, pages, cursor);
    if (!next && cursor !== undefined) {
      // The server refuses its own cursors.
      usesCursors = false;
      next = await pageAfter(ask, pages);
    }
    if (!next && reportsNothing(last)) break;
    if (!next) return { reason: "the server reports another page and refuses to send it" };
    hadNewItems = next.items.some((item) => !seen.has(keyOf(item)));
    // The server ignores page numbers, so the first page is the list.
    if (!hadNewItems && pages === 1 && reportsNothing(next) && count !== limit) break;
    add(next);
    // The server repeats its pages, or the list changed.
    if (seen.size < count) return { reason: "an entry is on two pages" };
    if (totals.size > 1) return { reason: `its length changed during the read: ${[...totals].join(", then ")}` };
    yield next;
    last = next;
  }
  const [total] = totals;
  if (last.items.length === 0 && last.hasMore === true && total === undefined)
    return { reason: "the server reports another page and shows no entries" };
  if (total !== undefined && total !== count)
    return { reason: `the server reports ${total} entries and shows ${count}` };
  return undefined;
}

/** @returns the number of the earlier page with the same cursor. Undefined if there is none */
function rememberCursor(pageOfCursor: Map<string, number>, cursor: string, page: number): number | undefined {
  const digest = sha256(cursor);
  const earlier = pageOfCursor.get(digest);
  pageOfCursor.set(digest, earlier ?? page);
  return earlier;
}

/** Requests the page after `number`. Returns undefined if the server refuses the page. */
async function pageAfter<T>(
  ask: PagesReading<T>["ask"],
  number: number,
  cursor?: string,
): Promise<ListPage<T> | undefined> {
  try {
    return await ask(number + 1, cursor);
  } catch (error) {
    if (error instanceof ServiceError && REFUSES_PAGES.has(error.status)) return undefined;
    throw error;
  }
}

const REFUSES_PAGES = new Set([400, 404, 405, 422]);

function reportsNothing({ total, hasMore }: ListPage<unknown>): boolean {
  return total === undefined && hasMore === undefined;
}

/**
 * Whether the last page is read. `hasMore` has precedence, because some servers report a maximum as `total`.
 *
 * @param count the number of items on all pages
 */
function isLast({ items, total, hasMore }: ListPage<unknown>, count: number): boolean {
  if (items.length === 0) return true;
  if (hasMore !== undefined) return !hasMore;
  return total !== undefined && count >= total;
}
