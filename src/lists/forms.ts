/** Lists the forms of an object, completes the items of the list, and finds a form by its id or name. */

import { FormctlError } from "../error.ts";
import { nearest } from "../nearest.ts";
import type { FormAnswer, FormListedAnswer, FormPageAnswer } from "../schemas/answers.ts";
import type { Input } from "../schemas/operations.ts";
import type { Filter, FilterCondition } from "../schemas/page.ts";
import { DEFAULT_FLAG, isIdentifier } from "../schemas/words.ts";
import { type Service, ServiceError } from "../service.ts";
import { quoted } from "../shell-quote.ts";
import { findByShortId, mayBeShortId } from "../short-ids.ts";
import { type ListPage, readWhole } from "./pages.ts";

type FormQuery = NonNullable<Input<"listForms">["query"]>;
type ObjectPath = { moduleKey: string; objectKey: string };

/** The largest page of forms (docs/decisions.md, "Lists"). */
export const MOST_FORMS = 100;

/**
 * Returns every form that the query selects.
 *
 * @param onPage called after each page with the number of forms that are read, and of all forms if the server reports
 *   it. Not called if the query is empty and one request returns all forms
 * @throws LIST_INCOMPLETE, and the errors of the service
 */
export async function listAllForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectPath,
  query: Pick<FormQuery, "sort" | "filters" | "columns"> = {},
  onPage?: (done: number, total: number | undefined) => void,
): Promise<FormListedAnswer[]> {
  return listForms(service, { moduleKey, objectKey }, query, { onPage });
}

type Reading = {
  onPage?: ((done: number, total: number | undefined) => void) | undefined;
  /** The number of forms after which the read ends. Default: all forms are read. */
  most?: number;
};

async function listForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectPath,
  query: Pick<FormQuery, "sort" | "filters" | "columns">,
  { onPage, most }: Reading = {},
): Promise<FormListedAnswer[]> {
  if (Object.keys(query).length === 0 && most === undefined) {
    // The fastest request has no query. For most objects it returns all forms.
    const { items, total, hasMore } = pageOf(await service.listForms({ moduleKey, objectKey }));
    if (total === undefined ? hasMore === false : total === items.length && hasMore !== true) return [...items];
  }
  let read = 0;
  let total: number | undefined;
  return readWhole({
    what: `the forms of ${moduleKey}/${objectKey}`,
    keyOf: ({ id }) => id,
    async ask(page = 1, cursor) {
      const following = pageQuery(page, cursor);
      const answer = await service.listForms({ moduleKey, objectKey, query: { ...query, ...following } });
      const next = pageOf(answer);
      // An incomplete list is read a second time, from page 1.
      read = (page === 1 ? 0 : read) + next.items.length;
      total = next.total ?? total;
      onPage?.(read, total);
      return next;
    },
    mayGoOn: () => true,
    limit: MOST_FORMS,
    most,
  });
}

/**
 * Returns the query of a page of the largest size. A server that sends cursors also supports `count`. The first page
 * reports the total, so it need not count the forms for each page.
 */
function pageQuery(page: number, cursor: string | undefined): FormQuery {
  return { page, limit: MOST_FORMS, ...(cursor !== undefined && { cursor, count: "hasMore" }) };
}

/**
 * Returns all forms of an object with exactly this name. Names need not be unique. A server may ignore the filter, so
 * the result is filtered again. If the server refuses the filter, the whole list is read.
 *
 * @throws LIST_INCOMPLETE, and the errors of the service
 */
export async function listFormsNamed(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  name: string,
): Promise<FormListedAnswer[]> {
  const forms = await listSelected(service, object, { field: "name", operator: "eq", value: name });
  return forms.filter((form) => form.name === name);
}

/** Lists the first thousand forms of an object, because an object may have any number of forms. */
export function listFirstForms(service: Pick<Service, "listForms">, object: ObjectPath): Promise<FormListedAnswer[]> {
  return listForms(service, object, {}, { most: MOST_COMPARED });
}

/**
 * Lists forms for the completion of a name that is typed in part: up to a page of those whose names start with the text,
 * or the first thousand if the text is empty or the server refuses the request. The items may include other forms.
 */
export async function listFormsToComplete(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  start: string,
): Promise<readonly FormListedAnswer[]> {
  if (start === "") return listFirstForms(service, object);
  const filters: Filter = { op: "and", items: [{ field: "name", operator: "startsWith", value: start }] };
  try {
    const { moduleKey, objectKey } = object;
    const page = await service.listForms({
      moduleKey,
      objectKey,
      query: { filters, limit: MOST_FORMS, count: "none" },
    });
    return page.data;
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSES_FILTERS.has(error.status)) throw error;
    return listFirstForms(service, object);
  }
}

/**
 * Lists the forms that meet at least one of the conditions. If the server refuses the filter, lists all forms; a server
 * may also ignore the filter. So the items may include other forms.
 */
export async function listSelected(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  ...conditions: FilterCondition[]
): Promise<FormListedAnswer[]> {
  const filters: Filter = { op: conditions.length === 1 ? "and" : "or", items: conditions };
  try {
    return await listAllForms(service, object, { filters });
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSES_FILTERS.has(error.status)) throw error;
    return listAllForms(service, object);
  }
}

/**
 * Lists the default forms of an object. The items may include other forms: if the object has few forms, or the server
 * does not filter by default flags, all forms are listed.
 *
 * @param begun the first page, if it is already read and is not the last one
 * @throws LIST_INCOMPLETE, and the errors of the service
 */
export async function listDefaultForms(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  begun?: readonly FormListedAnswer[],
): Promise<FormListedAnswer[]> {
  const first = begun ?? (await listForms(service, object, {}, { most: MOST_FORMS }));
  if (!begun && first.length < MOST_FORMS) return [...first];
  const flags = Object.values(DEFAULT_FLAG);
  // A filter by members that the server does not show would select no form.
  if (first.some((form) => flags.some((flag) => form[flag] === undefined))) return listAllForms(service, object);
  const listed = await listSelected(
    service,
    object,
    ...flags.map((field) => ({ field, operator: "eq", value: true }) as const),
  );
  const ids = new Set(listed.map(({ id }) => id));
  const isFiltered = first.every((form) => ids.has(form.id) || flags.every((flag) => form[flag] === false));
  return isFiltered ? listed : listAllForms(service, object);
}

/** Statuses with which servers refuse an unknown parameter of a list, or a long URL. */
const REFUSES_FILTERS = new Set([400, 414, 422]);

/**
 * Returns the items of all pages of a list. The list is read completely before the first item is returned, because a
 * record that is missing from an incomplete list would count as deleted.
 *
 * ```ts
 * for await (const form of allPages(service.listForms, { moduleKey: "staffing", objectKey: "candidate" })) …
 * ```
 *
 * @param list `service.listForms`, the only operation with pages
 * @param input the object, and optionally the order and filters of the list. Without them, the order is that of the
 *   service
 * @throws LIST_INCOMPLETE if the pages are not a complete list, even if they are read twice; the errors of the service
 */
export async function* allPages(
  list: Service["listForms"],
  { query, ...object }: ObjectPath & { query?: Pick<FormQuery, "sort" | "filters"> },
): AsyncGenerator<FormListedAnswer, void, void> {
  yield* await listAllForms({ listForms: list }, object, query);
}

/** Converts an answer to a page. `meta` may be missing, because not every server reports its pages. */
export function pageOf({ data, meta }: FormPageAnswer): ListPage<FormListedAnswer> {
  return { items: data, total: meta?.total, hasMore: meta?.hasMore, nextCursor: meta?.nextCursor };
}

/**
 * Whether a list item has all members of the record. The API document does not promise these four members for list
 * items.
 */
export function isWholeForm({ isActive, isPublic, config, viewLayoutId }: FormListedAnswer): boolean {
  return [isActive, isPublic, config, viewLayoutId].every((member) => member !== undefined);
}

/** Returns the form with all members of its record. Reads the record if the item of the list lacks some of them. */
export async function wholeForm(
  service: Pick<Service, "getForm">,
  { moduleKey, objectKey }: ObjectPath,
  listed: FormListedAnswer,
): Promise<FormListedAnswer> {
  if (isWholeForm(listed)) return listed;
  return { ...listed, ...(await service.getForm({ moduleKey, objectKey, formId: listed.id })) };
}

/** The address of a form. `form` is an id, a name or a shortened id (short-ids.ts). */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Names of endpoints that take the place of a form id in the path. No form has such an id. */
const RESERVED = new Set(["available", "defaults"]);

/** Statuses with which servers refuse an unknown id, or a name in place of an id. */
const NOT_AN_ID = new Set([400, 404, 422]);

export function mayBeFormId(text: string): boolean {
  return isIdentifier(text) && !RESERVED.has(text);
}

/**
 * Finds a form by id, else by name, else by shortened id. Reads the record, because an item of the list may lack
 * members.
 *
 * @throws NOT_FOUND if no form matches; AMBIGUOUS_NAME if several forms have the name or the shortened id
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** Like `findForm`, but also returns the list item of a form that was not found by its id. */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (mayBeFormId(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NOT_AN_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

async function findNamed(service: Service, { moduleKey, objectKey, form }: FormAddress): Promise<FormListedAnswer> {
  const path = { moduleKey, objectKey };
  const object = `${moduleKey}/${objectKey}`;
  const only = onlyNamed(object, await listFormsNamed(service, path, form));
  if (only) return only;
  const first = await listForms(service, path, {}, { most: MOST_FORMS });
  // The filter of a server may compare names differently. So the first page is also searched for exactly this name.
  const other = onlyNamed(
    object,
    first.filter(({ name }) => name === form),
  );
  if (other) return other;
  const isWhole = first.length < MOST_FORMS;
  if (mayBeShortId(form)) {
    const condition = { field: "id", operator: "startsWith", value: form } as const;
    const started = isWhole ? first : await listSelected(service, path, condition);
    const found = findByShortId(started, form, `forms of ${object}`);
    if (found) return found;
  }
  const others = isWhole ? first : await listFirstForms(service, path);
  const meant = similarNames(
    form,
    others.map(({ name }) => name),
  ).map((name) => quoted(`${object}/${name}`));
  const hint =
    meant.length === 0 ? `List the forms: formctl forms list ${object}` : `Did you mean ${meant.join(" or ")}?`;
  throw new FormctlError("NOT_FOUND", `the form "${form}" of ${object} does not exist`, hint);
}

/** The number of forms that are read to suggest or complete a name. */
const MOST_COMPARED = 1_000;

/** Returns the form of a name, if there is one. @throws AMBIGUOUS_NAME if several forms have the name */
function onlyNamed(object: string, named: readonly FormListedAnswer[]): FormListedAnswer | undefined {
  if (named.length > 1) throw ambiguousName(object, named);
  return named[0];
}

const MAX_SUGGESTIONS = 3;

/**
 * Returns the most similar name or, if no name is similar, the names that start with the text. Returns none if these
 * are more than MAX_SUGGESTIONS.
 */
function similarNames(text: string, names: readonly string[]): string[] {
  const near = nearest(text, names);
  if (near !== undefined) return [near];
  const start = text.toLowerCase();
  const started = [...new Set(names.filter((name) => name.toLowerCase().startsWith(start)))];
  return started.length > MAX_SUGGESTIONS ? [] : started.toSorted();
}

/** Creates the error for a name that several forms have. @param object the object as MODULE/OBJECT */
export function ambiguousName(object: string, named: readonly Pick<FormListedAnswer, "id" | "name">[]): FormctlError {
  const [first] = named;
  const ids = named.map(({ id }) => id).join(", ");
  const message = `${named.length} forms of ${object} are named "${first?.name}": ${ids}`;
  return new FormctlError("AMBIGUOUS_NAME", message, `Specify the id: ${quoted(`${object}/${first?.id}`)}`);
}
