/** Lists the forms of an object, completes list items, and finds a form by its id or name. */

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
 * @param onPage called after each page with the number of forms read so far, and the total. The total is undefined if
 *   the server does not report it. Not called if the query is empty and one request returns all forms
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

/**
 * Sends the fastest request, which has no query. For most objects, its answer contains all forms. This function is
 * separate, so that no variable holds an incomplete answer while the list is read.
 *
 * @returns all forms. Undefined if the answer does not contain all forms
 */
async function listAtOnce(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
): Promise<FormListedAnswer[] | undefined> {
  const { items, total, hasMore } = pageOf(await service.listForms(object));
  const isWhole = total === undefined ? hasMore === false : total === items.length && hasMore !== true;
  return isWhole ? [...items] : undefined;
}

type Reading = {
  onPage?: ((done: number, total: number | undefined) => void) | undefined;
  /** The number of forms after which the read ends. Default: all forms are read. */
  most?: number | undefined;
};

async function listForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectPath,
  query: Pick<FormQuery, "sort" | "filters" | "columns">,
  { onPage, most }: Reading = {},
): Promise<FormListedAnswer[]> {
  if (Object.keys(query).length === 0 && most === undefined) {
    const all = await listAtOnce(service, { moduleKey, objectKey });
    if (all) return all;
  }
  let read = 0;
  let total: number | undefined;
  return readWhole({
    what: `the forms of ${moduleKey}/${objectKey}`,
    keyOf: ({ id }) => id,
    usesCursors: true,
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
 * Returns the query of a page of the largest size. With a cursor, no page number is sent, because a server could count
 * pages from the cursor. The first page reports the total, so a query with a cursor requests only `hasMore`.
 */
function pageQuery(page: number, cursor: string | undefined): FormQuery {
  return cursor === undefined ? { page, limit: MOST_FORMS } : { cursor, limit: MOST_FORMS, count: "hasMore" };
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
 * Lists forms for the completion of a partly typed name. Returns at most one page of the forms whose names start with
 * the text. If the text is empty, or the server refuses the request, returns the first thousand forms. The items may
 * include forms with other names.
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
 * Lists the forms that meet a condition. If the server refuses the filter, lists all forms. A server may also ignore or
 * misunderstand the filter. So the items may include other forms, and forms may be missing.
 */
async function listSelected(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  condition: FilterCondition,
): Promise<FormListedAnswer[]> {
  try {
    return await listAllForms(service, object, { filters: { op: "and", items: [condition] } });
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSES_FILTERS.has(error.status)) throw error;
    return listAllForms(service, object);
  }
}

/**
 * Lists the forms with one of the names. Returns undefined if it is uncertain whether the server filters by names. The
 * caller then needs the whole list.
 *
 * @param known forms of the object. One known form is requested too. If the answer lacks this form, the server does not
 *   filter by a list of names
 */
export async function listFormsWithNames(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  names: readonly string[],
  known: readonly FormListedAnswer[],
): Promise<FormListedAnswer[] | undefined> {
  const probe = known.find(({ name }) => !names.includes(name)) ?? known[0];
  if (!probe) return undefined;
  // The name of the probe is the last one, because a server may ignore the end of a long list. The answer then lacks
  // the probe.
  const value = [...names.filter((name) => name !== probe.name), probe.name];
  const listed = await listSelected(service, object, { field: "name", operator: "in", value });
  const ids = new Set(listed.map(({ id }) => id));
  const hasOthers = listed.some(({ name }) => !value.includes(name));
  const lacksKnown = known.some(({ id, name }) => value.includes(name) && !ids.has(id));
  return hasOthers || lacksKnown ? undefined : listed.filter(({ name }) => names.includes(name));
}

/**
 * Lists the default forms of an object. The items may include other forms: all forms are listed if the object has few
 * forms, or if it is uncertain whether the server filters by default flags.
 *
 * @param begun the first of several pages, if it is already read
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
  // A server without the default flags in its list possibly does not know these flags. Its answer to a filter by an
  // unknown flag could be an empty list.
  if (first.some((form) => flags.some((flag) => form[flag] === undefined))) return listAllForms(service, object);
  const lists = await Promise.all(flags.map((flag) => listFlagged(service, object, flag, first)));
  if (lists.some((list) => !list)) return listAllForms(service, object);
  return [...new Map(lists.flatMap((list) => list ?? []).map((form) => [form.id, form])).values()];
}

/**
 * Lists the forms with a default flag. Returns undefined if it is uncertain whether the server filters by the flag.
 *
 * @param some forms of the object, with their flags
 */
async function listFlagged(
  service: Pick<Service, "listForms">,
  object: ObjectPath,
  flag: (typeof DEFAULT_FLAG)[keyof typeof DEFAULT_FLAG],
  some: readonly FormListedAnswer[],
): Promise<FormListedAnswer[] | undefined> {
  const select = (value: boolean, most?: number) =>
    listForms(service, object, { filters: { op: "and", items: [{ field: flag, operator: "eq", value }] } }, { most });
  try {
    const listed = await select(true);
    const ids = new Set(listed.map(({ id }) => id));
    if (listed.some((form) => form[flag] !== true)) return undefined;
    if (some.some((form) => form[flag] === true && !ids.has(form.id))) return undefined;
    // If the filter selects no form for either value, the server possibly does not know the flag.
    if (listed.length === 0 && (await select(false, 1)).every((form) => form[flag] !== false)) return undefined;
    return listed;
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSES_FILTERS.has(error.status)) throw error;
    return undefined;
  }
}

/**
 * Statuses with which servers refuse an unknown parameter of a list, or a long URL. If the parameter was not the reason,
 * the request for the whole list fails too.
 */
const REFUSES_FILTERS = new Set([400, 404, 405, 414, 422, 500, 501]);

/**
 * Returns the items of all pages of a list. The first item is returned only after the whole list is read. Otherwise a
 * record that an incomplete list lacks would count as deleted.
 *
 * ```ts
 * for await (const form of allPages(service.listForms, { moduleKey: "staffing", objectKey: "candidate" })) …
 * ```
 *
 * @param list `service.listForms`, the only operation with pages
 * @param input the object, and optionally the order and filters of the list. The default order is that of the service
 * @throws LIST_INCOMPLETE if two reads are incomplete; the errors of the service
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
 * @throws NOT_FOUND if no form matches
 * @throws AMBIGUOUS_NAME if several forms have the name or the shortened id
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** Like `findForm`. Also returns the list item of a form that was found by name or shortened id. */
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
  const isFiltered =
    first.length >= MOST_FORMS && (await listFormsWithNames(service, path, [form], first)) !== undefined;
  // If it is uncertain whether the server filters by names, the whole list is searched.
  const forms = first.length < MOST_FORMS || isFiltered ? first : await listAllForms(service, path);
  const other = onlyNamed(
    object,
    forms.filter(({ name }) => name === form),
  );
  if (other) return other;
  if (mayBeShortId(form)) {
    const condition = { field: "id", operator: "startsWith", value: form } as const;
    const started = isFiltered ? await listSelected(service, path, condition) : forms;
    const found = findByShortId(started, form, `forms of ${object}`);
    if (found) return found;
  }
  const others = isFiltered ? await listFirstForms(service, path) : forms;
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

/**
 * Returns the form with a name, or undefined if no form has the name.
 *
 * @throws AMBIGUOUS_NAME if several forms have the name
 */
function onlyNamed(object: string, named: readonly FormListedAnswer[]): FormListedAnswer | undefined {
  if (named.length > 1) throw ambiguousName(object, named);
  return named[0];
}

const MAX_SUGGESTIONS = 3;

/**
 * Returns the most similar name. If no name is similar, returns the names that start with the text. Returns no name if
 * more than `MAX_SUGGESTIONS` names start with the text.
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
