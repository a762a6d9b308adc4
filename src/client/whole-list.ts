/** A list that a server gives in pages, read whole or refused: what it does not show must not be taken for what is not there. */

import type { JsonObject } from "../schemas/json.ts";
import { IncompleteList, ServiceError } from "../service.ts";
import type { SaidOfPages } from "./said-of-pages.ts";

export type ListPage = SaidOfPages & { items: readonly JsonObject[] };

export type ListReading = {
  /** What is listed, for the refusal. */
  what: string;
  /** The member by which two items are told apart. */
  key: string;
  /** A page by its number; undefined: the list as anybody asks for it, which is its first page. */
  ask: (page: number | undefined) => Promise<ListPage>;
  /** Whether a list whose first page has so many entries, and says nothing of pages, may go on all the same. */
  mayGoOn: (entries: number) => boolean;
};

/** A server that always has one more would never come to an end. */
const MAX_PAGES = 1_000;

/**
 * The first page alone where it says that it is all. What says that there is more is read on, and so is what says nothing,
 * until there is an empty page; a server that refuses to be asked for a second one, or sends the first again, has no other. It
 * is read once more where it changed meanwhile.
 *
 * @throws IncompleteList where its pages make no list, twice
 */
export async function readWhole(reading: ListReading): Promise<JsonObject[]> {
  const first = await readOnce(reading);
  if (!("reason" in first)) return first;
  const again = await readOnce(reading);
  if ("reason" in again) throw new IncompleteList(reading.what, again.reason);
  return again;
}

async function readOnce(reading: ListReading): Promise<JsonObject[] | { reason: string }> {
  const { ask, mayGoOn } = reading;
  const first = await ask(undefined);
  const pages = [first];
  if (isSilent(first) && first.items.length > 0) {
    const second = mayGoOn(first.items.length) ? await pageAfter(ask, 1) : undefined;
    if (!second || isSame(reading, first, second)) return [...first.items];
    pages.push(second);
  }
  while (!isLast(pages)) {
    if (pages.length >= MAX_PAGES) return { reason: `it has more than ${MAX_PAGES} pages` };
    const next = await pageAfter(ask, pages.length);
    if (!next && isSilent(pages.at(-1)!)) break;
    if (!next) return { reason: "it says that there is more, and has no further page" };
    pages.push(next);
  }
  return joined(reading, pages);
}

/** Undefined where the server refuses to be asked for it. */
async function pageAfter(ask: ListReading["ask"], number: number): Promise<ListPage | undefined> {
  try {
    return await ask(number + 1);
  } catch (error) {
    if (error instanceof ServiceError && REFUSES_PAGES.has(error.status)) return undefined;
    throw error;
  }
}

const REFUSES_PAGES = new Set([400, 404, 405, 422]);

function isSilent({ total, hasMore }: ListPage): boolean {
  return total === undefined && hasMore === undefined;
}

function isLast(pages: readonly ListPage[]): boolean {
  const { items, total, hasMore } = pages.at(-1)!;
  if (items.length === 0) return true;
  return total === undefined ? hasMore === false : countOf(pages) >= total;
}

/** In any order: nothing says that a server keeps to one. */
function isSame({ key }: ListReading, a: ListPage, b: ListPage): boolean {
  const known = new Set(a.items.map((item) => item[key]));
  return a.items.length === b.items.length && b.items.every((item) => known.has(item[key]));
}

function joined({ key }: ListReading, pages: readonly ListPage[]): JsonObject[] | { reason: string } {
  const items = pages.flatMap((page) => page.items);
  if (pages.length > 1 && new Set(items.map((item) => item[key])).size < items.length)
    return { reason: "something stands on two of its pages" };
  const totals = new Set(pages.flatMap(({ total }) => total ?? []));
  if (totals.size > 1) return { reason: `it had ${[...totals].join(", then ")} entries while it was read` };
  const last = pages.at(-1)!;
  if (last.items.length === 0 && last.hasMore === true)
    return { reason: "it says that there is more, and shows nothing" };
  const [total] = totals;
  if (total !== undefined && total !== items.length)
    return { reason: `it has ${total} entries and shows ${items.length}` };
  return items;
}

function countOf(pages: readonly ListPage[]): number {
  return pages.reduce((sum, { items }) => sum + items.length, 0);
}
