/** The query of a list of forms: its page, order, filter and columns. page-schema.ts checks it. */

import type { Mode, PageCount, SortField } from "./words.ts";

/** A member that the list is sorted by. */
export type SortTerm = {
  field: SortField;
  /** Default: asc. */
  direction?: "asc" | "desc" | undefined;
};

/**
 * A condition of a filter:
 * - on `name`, `contains` matches a part of the name and ignores case. `startsWith` matches the exact beginning
 * - on `id`, `startsWith` matches the beginning of the id
 * - on `types`, `contains` matches a form that has the given mode
 * - on a default flag such as `isDefaultCreate`, `eq` with true matches the default form for the mode
 */
export type FilterCondition =
  | { field: "name"; operator: "eq" | "ne" | "contains" | "startsWith"; value: string }
  | { field: "name"; operator: "in"; value: string[] }
  | { field: "id"; operator: "startsWith"; value: string }
  | {
      field: "isActive" | "isPublic" | "isDefaultCreate" | "isDefaultView" | "isDefaultEdit";
      operator: "eq" | "ne";
      value: boolean;
    }
  | { field: "types"; operator: "contains"; value: Mode }
  | { field: "types"; operator: "eq" | "ne" | "in"; value: Mode[] };

/** Conditions and filters that must all be true (`and`), or at least one of them (`or`). */
export type Filter = { op: "and" | "or"; items: (FilterCondition | Filter)[] };

/** The standard list query. */
export type ListQuery = {
  /** The number of the page. Default: 1. */
  page?: number | undefined;
  /** The size of a page, at most 100. Default: 20. */
  limit?: number | undefined;
  /** Whether the answer has the number of all forms (`exact`), only `hasMore`, or neither. Default: exact. */
  count?: PageCount | undefined;
  /** The `nextCursor` of the preceding page. The result begins after that page, and `page` is ignored. */
  cursor?: string | undefined;
  sort?: SortTerm[] | undefined;
  filters?: Filter | undefined;
  /** Checked and then ignored: every column is always sent. */
  columns?: string[] | undefined;
};
