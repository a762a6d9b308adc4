/** The query of a list: its page, order, filters and columns. */

import * as z from "zod/mini";
import { DEFAULT_FLAG, MAX_PAGE_LIMIT, MODES, PAGE_COUNTS, PAGE_LIMIT, SORT_FIELDS } from "./words.ts";
import type { Filter as FormFilter } from "./page.ts";

const Mode = z.enum(MODES);

const FLAGS = ["isActive", "isPublic", DEFAULT_FLAG.CREATE, DEFAULT_FLAG.VIEW, DEFAULT_FLAG.EDIT] as const;

const SortTerm = z.strictObject({
  field: z.enum(SORT_FIELDS),
  direction: z._default(z.enum(["asc", "desc"]), "asc"),
});

export const FilterCondition = z.union(
  [
    z.strictObject({
      field: z.literal("name"),
      operator: z.enum(["eq", "ne", "contains", "startsWith"]),
      value: z.string(),
    }),
    z.strictObject({ field: z.literal("name"), operator: z.literal("in"), value: z.array(z.string()) }),
    z.strictObject({ field: z.literal("id"), operator: z.literal("startsWith"), value: z.string() }),
    z.strictObject({ field: z.enum(FLAGS), operator: z.enum(["eq", "ne"]), value: z.boolean() }),
    z.strictObject({ field: z.literal("types"), operator: z.literal("contains"), value: Mode }),
    z.strictObject({ field: z.literal("types"), operator: z.enum(["eq", "ne", "in"]), value: z.array(Mode) }),
  ],
  "must be a condition on name (eq, ne, in, contains, startsWith), id (startsWith), isActive, isPublic or a default flag (eq, ne), or types (eq, ne, in, contains)",
);

export const Filter: z.ZodMiniType<FormFilter, FormFilter> = z.strictObject({
  op: z.enum(["and", "or"]),
  items: z.array(z.union([FilterCondition, z.lazy(() => Filter)], "must be a condition or {op, items}")),
});

/**
 * The standard list query. The default is page 1 with a limit of 20. The limit is at most 100 (docs/decisions.md,
 * "Lists").
 */
export const ListQuery = z.strictObject({
  page: z._default(z.int("must be a whole number").check(z.minimum(1, "must be at least 1")), 1),
  limit: z._default(
    z
      .int("must be a whole number")
      .check(z.minimum(1, "must be at least 1"), z.maximum(MAX_PAGE_LIMIT, `must be at most ${MAX_PAGE_LIMIT}`)),
    PAGE_LIMIT,
  ),
  count: z._default(z.enum(PAGE_COUNTS), "exact"),
  /** The `nextCursor` of the preceding page. The result begins after that page, and `page` is ignored. */
  cursor: z.optional(z.string()),
  sort: z.optional(z.array(SortTerm)),
  filters: z.optional(Filter),
  /** Validated and then ignored: every column is always sent. */
  columns: z.optional(z.array(z.string())),
});
