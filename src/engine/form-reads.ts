/** The rules that read forms. */

import { DEFAULT_FLAG, MODES } from "../schemas/words.ts";
import type { Form, FormListItem, Mode } from "../schemas/form.ts";
import type { Filter } from "../schemas/page.ts";
import {
  countForms,
  type DefaultRecord,
  type FormPosition,
  listActiveForms,
  listDefaults,
  type ListedForm,
  listForms,
} from "../store/forms.ts";
import { filterCondition, selectiveKey, sortOrder } from "../store/form-filters.ts";
import { objectIdAt } from "../store/objects.ts";
import { toForms, toOneForm } from "./form-records.ts";
import type { Output, ParsedInput } from "../schemas/operations.ts";
import { invalid } from "./refuse.ts";
import type { ReadContext, Rules } from "./rule.ts";

/**
 * The maximum size of a filter. A larger filter could exceed the limits of SQLite. A group of conditions (`and`, `or`)
 * counts as 1. A condition counts as the number of its values, but at least as 1.
 */
const MAX_FILTER_VALUES = 100;
const MAX_FILTER_TEXT = 200;

/**
 * Returns a page of an object's forms with their default flags and access counts (R24, R64). A page past the end is
 * empty. All pages of a subordinate object are empty, because it has no forms (R10).
 *
 * @throws ServiceError 400 if the filter is too large, the cursor is invalid, or the query has a cursor and `sort`
 */
async function listPage(
  { tx, records }: ReadContext<"listForms">,
  { moduleKey, objectKey, query }: ParsedInput<"listForms">,
): Promise<Output<"listForms">> {
  if (query.filters) refuseLargeFilter(query.filters);
  const { page, limit, count, filters, sort = [], cursor } = query;
  const after = cursor === undefined ? undefined : positionAt(cursor, sort);
  const key = selectiveKey(filters);
  const selection = { condition: filterCondition(tx, filters), key };
  const offset = after ? 0 : Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
  const objectId = objectIdAt(tx, moduleKey, objectKey);
  // One extra record is requested. If it exists, there is a next page.
  const [found, total, defaults, { object }] = await Promise.all([
    listForms(tx, objectId, { ...selection, order: sortOrder(sort, key), limit: limit + 1, offset, after }),
    count === "exact" ? countForms(tx, objectId, selection) : undefined,
    listDefaults(tx, objectId),
    records,
  ]);
  const hasMore = found.length > limit;
  const listed = found.slice(0, limit);
  return {
    data: toListItems(await toForms(tx, object, listed), listed, defaults),
    meta: {
      page,
      limit,
      ...(total !== undefined && { total }),
      ...(count !== "none" && { hasMore }),
      ...(count !== "none" && hasMore && sort.length === 0 && { nextCursor: cursorAfter(listed.at(-1)!.form) }),
      ...(filters && { filtered: true }),
    },
  };
}

/** Returns the cursor of the page that follows a form in the default order. */
function cursorAfter({ created_at, id }: FormPosition): string {
  return Buffer.from(`${created_at} ${id}`).toString("base64url");
}

/** @throws ServiceError 400 if the cursor is invalid, or the query also has `sort` */
function positionAt(cursor: string, sort: readonly unknown[]): FormPosition {
  const [created_at, id, ...more] = Buffer.from(cursor, "base64url").toString().split(" ");
  if (!created_at || !id || more.length > 0)
    throw invalid([{ path: "cursor", message: "must be the nextCursor of a page" }]);
  if (sort.length > 0) throw invalid([{ path: "cursor", message: "can't be combined with sort. Use page" }]);
  return { created_at, id };
}

/**
 * Returns the active forms of an object, including forms that can't be used (R68, R84). With `type`, returns only the
 * forms that have this mode.
 */
async function listAvailable(
  { tx, records }: ReadContext<"listAvailableForms">,
  { moduleKey, objectKey, query }: ParsedInput<"listAvailableForms">,
): Promise<Form[]> {
  const objectId = objectIdAt(tx, moduleKey, objectKey);
  const [forms, { object }] = await Promise.all([listActiveForms(tx, objectId, query.type), records]);
  return toForms(tx, object, forms);
}

function toListItems(
  forms: readonly Form[],
  listed: readonly ListedForm[],
  defaults: readonly DefaultRecord[],
): FormListItem[] {
  const defaultOf = new Map(defaults.map(({ mode, form_id }) => [mode, form_id]));
  return forms.map((form, index) => {
    const flags = MODES.map((mode) => [DEFAULT_FLAG[mode], defaultOf.get(mode) === form.id]);
    return {
      ...form,
      ...(Object.fromEntries(flags) as Record<(typeof DEFAULT_FLAG)[Mode], boolean>),
      directUserAccessCount: listed[index]!.members,
      roleAccessCount: listed[index]!.roles,
    };
  });
}

function refuseLargeFilter(filter: Filter): void {
  const texts: string[] = [];
  let count = 0;
  const pending: Filter["items"] = [filter];
  for (let item = pending.pop(); item; item = pending.pop()) {
    if ("op" in item) {
      pending.push(...item.items);
      count++;
      continue;
    }
    const values = Array.isArray(item.value) ? item.value : [item.value];
    count += Math.max(1, values.length);
    for (const value of values) if (typeof value === "string") texts.push(value);
  }
  const problems: string[] = [];
  if (count > MAX_FILTER_VALUES) problems.push(`must have at most ${MAX_FILTER_VALUES} conditions and values`);
  if (texts.some((text) => text.length > MAX_FILTER_TEXT))
    problems.push(`must compare with texts of at most ${MAX_FILTER_TEXT} characters`);
  if (problems.length > 0) throw invalid(problems.map((message) => ({ path: "filters", message })));
}

export const formReadRules = {
  listForms: listPage,
  listAvailableForms: listAvailable,
  async getForm({ tx, records }) {
    const { object, parts } = await records;
    return toOneForm(tx, object, parts);
  },
} satisfies Partial<Rules>;
