/** Limits the size of a list and the time to read it. A server could report further pages without end. */

import { NoAnswer } from "./no-answer.ts";

export type ListLimits = {
  /** The memory of all pages in bytes, by the estimate of schemas/json-limits.ts. */
  bytes: number;
  /** Time to read all pages, including retries and the waits before them. */
  milliseconds: number;
};

export const LIST_LIMITS: ListLimits = { bytes: 56 * 1024 * 1024, milliseconds: 10 * 60_000 };

export type ListBudget = {
  /** Adds the cost of a page. @throws NoAnswer when a list of several pages exceeds the limits */
  spend(path: string, cost: ListLimits): void;
};

/**
 * Creates the budget of all lists. Pages of the same path and query belong to one list. A page continues the list if
 * its number is higher than the previous number, or if its cursor differs from the previous cursor. Any other page
 * starts a new list.
 */
export function listBudget(origin: string, limits: ListLimits = LIST_LIMITS): ListBudget {
  const lists = new Map<string, { page: number; cursor: string | null; spent: ListLimits }>();
  return {
    spend(path, { bytes, milliseconds }) {
      const url = new URL(path, "http://list");
      const number = Number(url.searchParams.get("page") ?? 1);
      const cursor = url.searchParams.get("cursor");
      // The pages of a list differ in these parameters, so the list's key does not contain them.
      for (const name of ["page", "limit", "cursor", "count"]) url.searchParams.delete(name);
      const key = `${url.pathname}?${url.searchParams.toString()}`;
      const before = lists.get(key);
      const isNext = before !== undefined && (cursor === null ? number > before.page : cursor !== before.cursor);
      const last = isNext ? before : { page: 1, spent: { bytes: 0, milliseconds: 0 } };
      // A request by cursor has no page number, so the pages are counted.
      const page = cursor === null ? number : last.page + 1;
      const { spent } = last;
      const now = { bytes: spent.bytes + bytes, milliseconds: spent.milliseconds + milliseconds };
      if (!before && lists.size >= MOST_LISTS) lists.clear();
      lists.set(key, { page, cursor, spent: now });
      if (page <= 1) return;
      const over =
        now.bytes > limits.bytes
          ? `sent more than ${limits.bytes / 1024 / 1024} MiB of values`
          : now.milliseconds > limits.milliseconds && `took more than ${limits.milliseconds / 60_000} minutes`;
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
    },
  };
}

/**
 * The maximum number of stored lists. It limits the memory of a long-lived client. At the limit, all stored costs are
 * cleared.
 */
const MOST_LISTS = 1_000;
