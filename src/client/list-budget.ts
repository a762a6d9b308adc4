/** Limits the size of a list and the time to read it. A server could report further pages without end. */

import { NoAnswer } from "./no-answer.ts";

export type ListLimits = {
  /** The memory of all pages in bytes, by the estimate of schemas/json-limits.ts. */
  bytes: number;
  /** Time to read all pages, including retries and the waits before them. */
  milliseconds: number;
};

const LIST_LIMITS: ListLimits = { bytes: 56 * 1024 * 1024, milliseconds: 10 * 60_000 };

export type ListBudget = {
  /** Adds the cost of a page. @throws NoAnswer when a list of several pages exceeds the limits */
  spend(path: string, cost: ListLimits): void;
  /** Throws what `spend` would throw. Adds nothing, because an incomplete page is read again. */
  check(path: string, cost: ListLimits): void;
};

/** The last page of a list that was read, and the cost of all its pages. A single answer has only its own limits. */
type ReadPages = { page: number; cursor: string | null; spent: ListLimits; isLimited: boolean };

/**
 * Creates the budget of all lists. Pages of the same path and query belong to one list. A page continues the list if
 * its number is higher than the previous number, or if its cursor differs from the previous cursor. Any other page
 * starts a new list. A request without a number comes before page 1: if its answer lacks records, the list is read from
 * page 1, and V8 frees the first answer late.
 */
export function listBudget(origin: string, limits: ListLimits = LIST_LIMITS): ListBudget {
  const lists = new Map<string, ReadPages>();
  return {
    spend(path, cost) {
      const { key, after } = afterPage(path, cost);
      if (!lists.has(key) && lists.size >= MOST_LISTS) lists.clear();
      lists.set(key, after);
      requireWithin(key, after);
    },
    check(path, cost) {
      const { key, after } = afterPage(path, cost);
      requireWithin(key, after);
    },
  };

  /** Returns the key of the list, and its state with the page. */
  function afterPage(path: string, { bytes, milliseconds }: ListLimits): { key: string; after: ReadPages } {
    const url = new URL(path, "http://list");
    const number = Number(url.searchParams.get("page") ?? 0);
    const cursor = url.searchParams.get("cursor");
    // The pages of a list differ in these parameters, so the list's key does not contain them.
    for (const name of ["page", "limit", "cursor", "count"]) url.searchParams.delete(name);
    const key = `${url.pathname}?${url.searchParams.toString()}`;
    const before = lists.get(key);
    const isNext = before !== undefined && (cursor === null ? number > before.page : cursor !== before.cursor);
    const last = isNext ? before : { page: 0, spent: { bytes: 0, milliseconds: 0 } };
    // A request by cursor has no page number, so the pages are counted.
    const page = cursor === null ? number : Math.max(last.page, 1) + 1;
    const { spent } = last;
    const now = { bytes: spent.bytes + bytes, milliseconds: spent.milliseconds + milliseconds };
    return { key, after: { page, cursor, spent: now, isLimited: isNext || page > 1 } };
  }

  /** @throws NoAnswer, and forgets the list */
  function requireWithin(key: string, { page, spent, isLimited }: ReadPages): void {
    if (!isLimited) return;
    const over =
      spent.bytes > limits.bytes
        ? `sent more than ${limits.bytes / 1024 / 1024} MiB of values`
        : spent.milliseconds > limits.milliseconds && `took more than ${limits.milliseconds / 60_000} minutes`;
    if (!over) return;
    lists.delete(key);
    throw new NoAnswer(
      "LIST_TOO_LONG",
      `${origin} ${over} for the list ${key.replace(/\?$/, "")}, up to page ${page}`,
      {
        sent: true,
        hint: "Check that it is a server of the API: formctl doctor",
      },
    );
  }
}

/**
 * The maximum number of stored lists. It limits the memory of a long-lived client. At the limit, all stored costs are
 * cleared.
 */
const MOST_LISTS = 1_000;
