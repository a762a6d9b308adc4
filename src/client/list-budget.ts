/** How much a server may send for one list, and how long it may take: one that always has a further page has no end. */

import { NoAnswer } from "./no-answer.ts";

export type ListLimits = {
  /** Bytes of all pages. */
  bytes: number;
  /** Milliseconds in which pages were waited for, what a server asks to wait included. */
  milliseconds: number;
};

export const LIST_LIMITS: ListLimits = { bytes: 256 * 1024 * 1024, milliseconds: 10 * 60_000 };

export type ListBudget = {
  /** Notes the cost of a page. @throws NoAnswer where the pages of its list, up to this one, cost more than a list may */
  spend(path: string, cost: ListLimits): void;
};

/** Pages of the same path and query, one after the other, are one list; an earlier page than the last begins a new one. */
export function listBudget(origin: string, limits: ListLimits = LIST_LIMITS): ListBudget {
  const lists = new Map<string, { page: number; spent: ListLimits }>();
  return {
    spend(path, { bytes, milliseconds }) {
      const url = new URL(path, "http://list");
      const page = Number(url.searchParams.get("page") ?? 1);
      // The first page may be asked for without what the others need.
      url.searchParams.delete("page");
      url.searchParams.delete("limit");
      const key = `${url.pathname}?${url.searchParams.toString()}`;
      const before = lists.get(key);
      const { spent } = before && page > before.page ? before : { spent: { bytes: 0, milliseconds: 0 } };
      const now = { bytes: spent.bytes + bytes, milliseconds: spent.milliseconds + milliseconds };
      if (page === 1 && lists.size >= MOST_LISTS) lists.clear();
      lists.set(key, { page, spent: now });
      if (page <= 1) return;
      const over =
        now.bytes > limits.bytes
          ? `sent more than ${limits.bytes / 1024 / 1024} MiB`
          : now.milliseconds > limits.milliseconds && `needed more than ${limits.milliseconds / 60_000} minutes`;
      if (!over) return;
      lists.delete(key);
      throw new NoAnswer(
        "LIST_TOO_LONG",
        `${origin} ${over} for the list ${key.replace(/\?$/, "")}, up to page ${page}`,
        {
          sent: true,
          hint: "Is it a server of the API? See: formctl doctor",
        },
      );
    },
  };
}

/** A client that lives for long reads many lists: a list that it no longer remembers begins again. */
const MOST_LISTS = 1_000;
